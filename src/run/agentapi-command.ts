import { basename, dirname } from 'node:path'
import { agents } from '../agents/_registry.ts'
import type { Agent } from '../agents/agent.ts'
import { parseCommandLine } from '../agents/command-line.ts'
import { findAgent } from '../agents/find.ts'
import { IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { startOf } from './program.ts'
import type { RunReporter, RunRequest } from './request.ts'
import { SessionLookup } from './session-lookup.ts'
import { readTaskState } from './session-record.ts'
import { parseScript, type ShellCommand, scriptOf, simpleCommand } from './shell-command.ts'
import { isUntouched } from './task-state.ts'

/** What a command line says about the agent to serve. */
export interface ServedAgent {
  readonly agent: Agent
  /** Its arguments; undefined: the same as last time. */
  readonly args: readonly string[] | undefined
  readonly prompt?: string
  readonly promptFile?: string
  /** The native id of the session that the command line resumes. */
  readonly resumes?: string
  /** The folder of the program, if it is named by a path. */
  readonly folder?: string
  /** The variables that are set for the program. */
  readonly variables: Readonly<Record<string, string>>
  /** In agentapi's syntax: the program is given after `--`. */
  readonly asAgentapi: boolean
}

/**
 * `ion serve <agent> -- arguments`, or in agentapi's syntax: `--type <type> -- <program> arguments`. There the program says
 * which agent it is: the type only says how agentapi reads its screen.
 */
export function servedAgent(
  name: string | undefined,
  type: string | undefined,
  rest: readonly string[] | undefined,
): ServedAgent {
  if (name !== undefined) {
    const agent = findAgent(name)
    startOf(agent)
    return { agent, args: rest, variables: {}, asAgentapi: false }
  }
  const { words, variables, input } = programOf(rest ?? [])
  const [program, ...args] = words
  if (program === undefined) return { agent: ofType(type), args: undefined, variables, asAgentapi: true }
  const agent = agentOfProgram(basename(program))
  if (!agent) throw unknownProgram(program, args)
  const line = parseCommandLine(startOf(agent).commandLine ?? {}, args)
  return {
    agent,
    ...line,
    ...(input === undefined ? {} : { prompt: input }),
    ...(program.includes('/') ? { folder: dirname(program) } : {}),
    variables,
    asAgentapi: true,
  }
}

/**
 * A task that has no session yet continues the one that the command line names, such as that of agentapi before it. Later
 * the task has its own session, whatever the command line says.
 */
export function adoptNamed(
  request: RunRequest,
  { resumes }: ServedAgent,
  { notice }: Pick<RunReporter, 'notice'>,
  io: Io,
): RunRequest {
  const { agent, task, cwd, isNew, moved } = request
  if (resumes === undefined || isNew || moved || !isUntouched(readTaskState(task.folder))) return request
  const found = new SessionLookup(agent, io, task.folder).find(resumes)
  const folder = agent.start?.recordedCwd?.(cwd) ?? cwd
  if (found?.head.cwd === folder) return { ...request, adopt: found }
  notice(`there is no session ${resumes} in this folder: starting a new one`)
  return request
}

/** Some modules of Coder's registry start their agent in a shell, and pipe the prompt into it. */
function programOf(words: readonly string[]): ShellCommand {
  const script = scriptOf(words)
  if (script === undefined) return simpleCommand(words)
  const command = parseScript(script)
  if (command) return command
  throw new IonError('usage', 'Ion cannot tell what this script starts: it needs a shell to run it', {
    hint:
      'only one command is possible, without $, backquotes, && and redirections, also in its prompt; ' +
      'without a shell: ion serve <agent> --prompt-file <file> -- arguments',
  })
}

function ofType(type: string | undefined): Agent {
  const agent = type === undefined || type === 'custom' ? undefined : agentOfType(type)
  if (!agent) {
    throw new IonError('usage', 'no agent is given', { hint: 'ion serve <agent>, or ion serve -- <program>' })
  }
  startOf(agent)
  return agent
}

/** A program that starts another, such as a sandbox, is not left out: the agent would run without it. */
function unknownProgram(program: string, args: readonly string[]): IonError {
  const inner = args.find((word) => agentOfProgram(basename(word)))
  if (inner === undefined) {
    return new IonError('usage', `"${program}" is not an agent that Ion knows`, {
      hint: 'ion serve <agent>, or ion serve -- <program>; ion agents lists them',
    })
  }
  const name = basename(inner)
  return new IonError('usage', `"${program}" would start ${name}, but Ion starts agents directly`, {
    hint: `to keep it, put a script "${name}" first on the PATH that calls it; without it: ion serve -- ${name} …`,
  })
}

function agentOfProgram(program: string): Agent | undefined {
  return agents.find(({ binaries, id }) => binaries.includes(program) || id === program)
}

function agentOfType(type: string): Agent | undefined {
  return agents.find((agent) => agent.agentapiType === type || agent.id === type || agent.aliases.includes(type))
}
