import type { Prompt, Refusal } from '../start.ts'

/** `/clear`, but no path: agents send a text that begins with one. Names are not known, since users add their own. */
export const SLASH_COMMAND = /^\s*(\/[^\s/]+)(?!\S)/

/** Of the chat of Amazon Q and its successor: `/` is a command, `@` a stored prompt, and `!` runs in the shell. */
export const CHAT_COMMAND = /^\s*([/@!])/

/**
 * For `preflight`: a prompt that the agent would run as a command of its own or of the shell instead of sending it, where a
 * blank in front does not help. The first group of the pattern is what it begins with.
 */
export function refuseCommand(agent: string, prompt: Prompt | undefined, pattern: RegExp): Refusal | undefined {
  const first = pattern.exec(prompt?.text ?? '')?.[1]
  if (first === undefined) return undefined
  return {
    why: `${agent} treats text that begins with "${first}" as a command, not as a prompt`,
    hint: 'put another word in front',
    isCommand: true,
  }
}

/** A blank in front, for an agent that then no longer treats a text with such a beginning as a command. */
export function asPlainText(text: string, beginning: RegExp): string {
  return beginning.test(text) ? ` ${text}` : text
}
