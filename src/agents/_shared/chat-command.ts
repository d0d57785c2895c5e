/**
 * Whether a family of agents takes these words for a command of its chat instead of a prompt: `/` is one of its own, `@`
 * a stored prompt, and `!` a command for the shell. It looks behind leading blanks, so there is no way around it.
 */
export function isChatCommand(text: string): boolean {
  return /^\s*[/@!]/.test(text)
}
