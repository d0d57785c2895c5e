import type { Prompt, Refusal } from '../start.ts'

/**
 * For `preflight` of a family of agents that treats some prompts as commands of its chat: `/` is a command, `@` a stored
 * prompt, and `!` runs in the shell. Leading blanks do not help, so there is no way around it.
 */
export function refuseChatCommand(agent: string, prompt: Prompt | undefined): Refusal | undefined {
  const first = /^\s*([/@!])/.exec(prompt?.text ?? '')?.[1]
  if (first === undefined) return undefined
  return {
    why: `${agent} treats text that begins with "${first}" as a command, not as a prompt`,
    hint: 'put another word in front',
  }
}
