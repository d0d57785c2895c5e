import { basename } from 'node:path'
import { agents } from '../agents/_registry.ts'
import type { Agent } from '../agents/agent.ts'
import { parseCommandLine } from '../agents/command-line.ts'
import { findAgent } from '../agents/find.ts'
import { IonError } from '../platform/error.ts'
import { startOf } from './program.ts'
import { parseScript, type ShellCommand, scriptOf } from './shell-command.ts'

/** What a command line says about the agent to serve. */
export interface ServedAgent {
  readonly agent: Agent
  /** Its arguments; undefined: the same as last time. */
  readonly args: readonly string[] | undefined
  readonly prompt?: string
  readonly promptFile?: string
  /** In agentapi's syntax: the program is given after `--`. */
  readonly asAgentapi: boolean
}

/** `ion serve <agent> -- arguments`, or in agentapi's syntax: `--type <type> -- <program> arguments`. */
export function servedAgent(
  name: string | undefined,
  type: string | undefined,
  rest: readonly string[] | undefined,
): ServedAgent {
  if (name !== undefined) {
    const agent = findAgent(name)
    startOf(agent)
    return { agent, args: rest, asAgentapi: false }
  }
  const { words, input } = simpleCommand(rest ?? [])
  const [program, ...args] = words
  const named = program === undefined ? undefined : agentOfProgram(basename(program))
  const agent = type === undefined || type === 'custom' ? named : (agentOfType(type) ?? named)
  if (!agent) throw unknownAgent(program)
  const start = startOf(agent)
  if (program === undefined) return { agent, args: undefined, asAgentapi: true }
  const line = parseCommandLine(start.commandLine ?? {}, args)
  return { agent, ...line, ...(input === undefined ? {} : { prompt: input }), asAgentapi: true }
}

/** Some modules of Coder's registry start their agent in a shell, and pipe the prompt into it. */
function simpleCommand(words: readonly string[]): ShellCommand {
  const script = scriptOf(words)
  if (script === undefined) return { words }
  const command = parseScript(script)
  if (command) return command
  throw new IonError('usage', 'the script does more than start an agent, so Ion cannot tell what to start', {
    hint: 'ion serve <agent> "task" -- arguments, without a shell',
  })
}

function unknownAgent(program: string | undefined): IonError {
  if (program === undefined) {
    return new IonError('usage', 'no agent is given', {
      hint: 'ion serve <agent>, or ion serve --type <type> -- <program>',
    })
  }
  return new IonError('usage', `"${program}" is not an agent that Ion knows`, {
    hint: 'ion serve <agent>, or ion serve --type <type> -- <program>; ion agents lists them',
  })
}

function agentOfProgram(program: string): Agent | undefined {
  return agents.find(({ binaries, id }) => binaries.includes(program) || id === program)
}

function agentOfType(type: string): Agent | undefined {
  return agents.find((agent) => agent.agentapiType === type || agent.id === type || agent.aliases.includes(type))
}
