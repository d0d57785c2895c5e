/** A command line that can be pasted into a shell. */
export function shellLine(argv: readonly string[]): string {
  return argv.map(quote).join(' ')
}

/** Control characters are not safe even inside quotes: they are escaped in `$'…'`. */
function quote(word: string): string {
  if (/^[\w./:=@%+,~-]+$/.test(word) && !word.startsWith('~')) return word
  if (/[\x00-\x1f\x7f-\x9f]/.test(word)) return `$'${[...word].map(escaped).join('')}'`
  return `'${word.replaceAll("'", "'\\''")}'`
}

function escaped(character: string): string {
  if (character === "'" || character === '\\') return `\\${character}`
  if (!/[\x00-\x1f\x7f-\x9f]/.test(character)) return character
  return [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
}
