/**
 * What Aider does not restore as part of an answer: headings and notices vanish, prompts come back as the user's. In a history
 * that Ion writes such lines have one more blank in front.
 */
const TAKEN_APART = /^ *(?:#|>|####)(?: |$)/

export function escapeAnswer(text: string): string {
  return mapLines(text, (line) => (TAKEN_APART.test(line) ? ` ${line}` : line))
}

export function unescapeAnswer(text: string): string {
  return mapLines(text, (line) => (line.startsWith(' ') && TAKEN_APART.test(line) ? line.slice(1) : line))
}

function mapLines(text: string, change: (line: string) => string): string {
  return text.split('\n').map(change).join('\n')
}
