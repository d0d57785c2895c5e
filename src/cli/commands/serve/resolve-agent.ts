import { basename } from 'node:path'
import { agents } from '../../../agents/_registry.ts'
import type { Agent } from '../../../agents/agent.ts'
import { findAgent } from '../../../agents/find.ts'
import { IonError } from '../../../platform/error.ts'

/** An agent and its arguments. */
export interface ResolvedAgent {
  readonly agent: Agent
  /** Undefined: the same as last time. */
  readonly args: readonly string[] | undefined
  /** In agentapi's syntax: the program is given after `--`. */
  readonly asAgentapi: boolean
}

/** `ion serve <agent> -- arguments`, or in agentapi's syntax: `--type <type> -- <program> arguments`. */
export function resolveAgent(
  name: string | undefined,
  type: string | undefined,
  rest: readonly string[] | undefined,
): ResolvedAgent {
  if (name !== undefined) return { agent: startable(findAgent(name)), args: rest, asAgentapi: false }
  const [program, ...args] = rest ?? []
  const named = program === undefined ? undefined : agentOfProgram(basename(program))
  const agent = type === undefined || type === 'custom' ? named : (agentOfType(type) ?? named)
  if (!agent) {
    throw new IonError(
      'usage',
      program === undefined ? 'no agent is given' : `"${program}" is not an agent that Ion knows`,
      {
        hint: 'ion serve <agent>, or ion serve --type <type> -- <program>',
      },
    )
  }
  return { agent: startable(agent), args: program === undefined ? undefined : args, asAgentapi: true }
}

function agentOfProgram(program: string): Agent | undefined {
  return agents.find(({ binaries, id }) => binaries.includes(program) || id === program)
}

function agentOfType(type: string): Agent | undefined {
  return agents.find((agent) => agent.agentapiType === type || agent.id === type || agent.aliases.includes(type))
}

function startable(agent: Agent): Agent {
  if (agent.start) return agent
  throw new IonError('usage', `${agent.title} cannot be started`, { hint: 'ion agents' })
}
