/**
 * In answers Aider does not restore lines that begin as its own do: headings and notices vanish, prompts come back as the
 * user's. In a history that Ion writes, such a line has a blank in front, and one that has a blank there has a space of no
 * width after it. All others, such as comments in code, are as they were.
 */
const OWN = '(?=(?:#|>|####)(?: |$))'

export function escapeAnswer(text: string): string {
  return text.replace(new RegExp(`^ ${OWN}`, 'gm'), ' \u200b').replace(new RegExp(`^${OWN}`, 'gm'), ' ')
}

export function unescapeAnswer(text: string): string {
  return text.replace(new RegExp(`^ ${OWN}`, 'gm'), '').replace(new RegExp(`^ \u200b${OWN}`, 'gm'), ' ')
}
