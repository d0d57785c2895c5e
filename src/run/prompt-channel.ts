import type { Agent } from '../agents/agent.ts'
import type { AgentCommand, StartRequest } from '../agents/start.ts'
import type { Io } from '../platform/io.ts'

/** How an agent gets a prompt. An argument is in the process list, which other users of the machine can read. */
export type PromptChannel = 'stdin' | 'file' | 'argument'

const TEXT = 'a-text-that-occurs-nowhere-else'

/** As the adapter's commands for a first and a later prompt say; the more visible one if they differ. */
export function promptChannel({ start }: Agent, mode: 'headless' | 'terminal', io: Io): PromptChannel | undefined {
  if (!start) return undefined
  const request: StartRequest = {
    session: '00000000-0000-4000-8000-000000000000',
    sessionPath: '/session',
    prompt: { text: TEXT, argument: TEXT, file: '/prompt-file' },
    headless: mode === 'headless',
    args: [],
    cwd: io.cwd,
    folder: '/folder',
    version: start.newest,
    io,
  }
  const commands = [start.cold(request), start.warm(request)]
  const has = (part: string) => (command: AgentCommand) => command.args.some((word) => word.includes(part))
  if (commands.some(has(TEXT))) return 'argument'
  return commands.some(has('/prompt-file')) ? 'file' : 'stdin'
}
