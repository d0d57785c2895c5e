import { basename } from 'node:path'
import { agents } from '../../../agents/_registry.ts'
import type { Agent } from '../../../agents/agent.ts'
import { findAgent } from '../../../agents/find.ts'
import { IonError } from '../../../platform/error.ts'

/** Which agent is meant, and its own arguments. */
export interface Who {
  readonly agent: Agent
  /** Undefined: as the last time. */
  readonly args: readonly string[] | undefined
  /** Called as agentapi is: the program stands after `--`. */
  readonly asAgentapi: boolean
}

/** `ion serve <agent> -- arguments`, or as agentapi has it: `--type <type> -- <program> arguments`. */
export function resolveAgent(
  name: string | undefined,
  type: string | undefined,
  rest: readonly string[] | undefined,
): Who {
  if (name !== undefined) return { agent: startable(findAgent(name)), args: rest, asAgentapi: false }
  const [program, ...args] = rest ?? []
  const named = program === undefined ? undefined : ofProgram(basename(program))
  const agent = type === undefined || type === 'custom' ? named : (ofType(type) ?? named)
  if (!agent) {
    throw new IonError('usage', program === undefined ? 'which agent?' : `"${program}" is no agent that Ion knows`, {
      hint: 'ion serve <agent>, or ion serve --type <type> -- <program>',
    })
  }
  return { agent: startable(agent), args: program === undefined ? undefined : args, asAgentapi: true }
}

function ofProgram(program: string): Agent | undefined {
  return agents.find(({ binaries, id }) => binaries.includes(program) || id === program)
}

function ofType(type: string): Agent | undefined {
  return agents.find((agent) => agent.agentapiType === type || agent.id === type || agent.aliases.includes(type))
}

function startable(agent: Agent): Agent {
  if (agent.start) return agent
  throw new IonError('usage', `${agent.title} cannot be started`, { hint: 'ion agents' })
}
