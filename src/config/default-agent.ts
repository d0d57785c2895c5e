import type { Agent } from '../agents/agent.ts'
import { loadAgent } from '../agents/load.ts'
import { IonError } from '../platform/error.ts'
import type { Config } from './config.ts'

export interface AgentAndPrompt {
  readonly agent: Agent
  readonly words: readonly string[]
}

/**
 * What `ion run [agent] [prompt…]` names. A first word that could be an agent's name is one: a misspelt name is never sent to
 * the default agent as a prompt, and what a command does never depends on which agents Ion knows. The default agent gets what
 * cannot be a name, such as a quoted prompt, or nothing.
 */
export async function agentAndPrompt(
  command: 'run' | 'serve',
  first: string | undefined,
  words: readonly string[],
  { agent }: Config,
): Promise<AgentAndPrompt> {
  if (first !== undefined && couldBeName(first)) return { agent: await named(first, words, command, agent), words }
  if (agent === undefined) {
    throw new IonError('usage', first === undefined ? 'no agent is given' : 'no agent is named before the prompt', {
      hint: `ion ${command} <agent> "what to do"; ion config set agent <agent> sets a default`,
    })
  }
  return { agent: await loadAgent(agent), words: first === undefined ? [] : [first, ...words] }
}

/** Not a sentence, a path, or `-` for stdin. */
function couldBeName(word: string): boolean {
  return /^[\w.-]+$/.test(word) && word !== '-'
}

async function named(name: string, words: readonly string[], command: string, fallback?: string): Promise<Agent> {
  try {
    return await loadAgent(name)
  } catch (error) {
    if (fallback === undefined || !(error instanceof IonError)) throw error
    const prompt = words.length > 0 ? `ion ${command} "${name} …"` : `ion ${command} ${fallback} ${name}`
    throw new IonError(error.kind, error.message, {
      hint: `${error.hint}; if it is a prompt for ${fallback}: ${prompt}`,
    })
  }
}
