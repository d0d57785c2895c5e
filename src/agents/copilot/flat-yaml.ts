/**
 * The scalars of a YAML file that is one flat mapping, as strings: plain, quoted and block scalars, folded or not.
 * Enough for workspace.yaml. The yaml library would cost every start of Ion 3 to 5 ms (112 KB to parse), which is more than
 * this file is worth. Nested values, aliases and whatever does not parse are left out.
 */
export function parseFlatYaml(text: string): Map<string, string> {
  const values = new Map<string, string>()
  const lines = text
    .replace(/^\uFEFF/, '')
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
  for (let at = 0; at < lines.length; ) {
    const entry = /^([\w-]+):(?:[ \t]+(.*))?$/.exec(lines[at++]!)
    const body: string[] = []
    while (at < lines.length && /^(?:[ \t]|$)/.test(lines[at]!)) body.push(lines[at++]!)
    if (!entry) continue
    const value = scalar(entry[2] ?? '', body)
    if (value !== undefined) values.set(entry[1]!, value)
  }
  return values
}

function scalar(first: string, body: readonly string[]): string | undefined {
  const block = /^([|>])([+-]?)([1-9]?)([+-]?)(?:\s+#.*)?\s*$/.exec(first)
  if (block) return blockScalar(body, block[1] === '>', block[2] || block[4] || '', Number(block[3]))
  if (first.startsWith("'")) return singleQuoted([first, ...body])
  if (first.startsWith('"')) return doubleQuoted([first, ...body])
  if (/^[[{&*!]/.test(first) || (first.trim() === '' && body.some((line) => line.trim() !== ''))) return undefined
  return foldFlow([first, ...body]).replace(/\s+#.*$/, '')
}

function blockScalar(body: readonly string[], folded: boolean, chomp: string, explicit: number): string {
  const indent = explicit || (body.find((line) => line.trim() !== '')?.search(/\S/) ?? 0)
  const lines = body.map((line) => line.slice(indent))
  let end = lines.length
  while (end > 0 && lines[end - 1]!.trim() === '' && body[end - 1]!.length <= indent) end--
  const content = folded ? foldBlock(lines.slice(0, end)) : lines.slice(0, end).join('\n')
  if (chomp === '-') return content
  const ended = end > 0 ? `${content}\n` : ''
  return chomp === '+' ? ended + '\n'.repeat(lines.length - end) : ended
}

/** A single newline between two lines of the same indentation is a space; an empty line is a newline. */
function foldBlock(lines: readonly string[]): string {
  let text = ''
  let empty = 0
  let previous: string | undefined
  for (const line of lines) {
    if (line === '') {
      empty++
      continue
    }
    const kept = /^[ \t]/.test(line) || (previous !== undefined && /^[ \t]/.test(previous))
    if (previous === undefined) text += '\n'.repeat(empty)
    else if (kept) text += '\n'.repeat(empty + 1)
    else text += empty ? '\n'.repeat(empty) : ' '
    text += line
    previous = line
    empty = 0
  }
  return text
}

/** Lines of a plain or quoted scalar: joined by a space, an empty line is a newline. */
function foldFlow(lines: readonly string[]): string {
  let text = ''
  let empty = 0
  for (const [index, raw] of lines.entries()) {
    const line = index === 0 ? raw.trimEnd() : index === lines.length - 1 ? raw.trimStart() : raw.trim()
    if (index > 0 && line.trim() === '') empty++
    else {
      if (index > 0) text += empty ? '\n'.repeat(empty) : ' '
      text += line
      empty = 0
    }
  }
  return text.trimEnd()
}

function singleQuoted(lines: readonly string[]): string | undefined {
  const inside = /^'((?:[^']|'')*)'/.exec(foldFlow(lines))?.[1]
  return inside?.replaceAll("''", "'")
}

const escapes: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
}

function doubleQuoted(lines: readonly string[]): string | undefined {
  // An escaped space is kept at the end of a line, and a backslash there joins it to the next without a space.
  const joined = lines
    .join('\n')
    .replace(/(?<!\\)((?:\\\\)*)\\ /g, '$1\\x20')
    .replace(/(?<!\\)((?:\\\\)*)\\\n(?:[ \t]*\n)*[ \t]*/g, '$1')
  const inside = /^"((?:[^"\\]|\\[\s\S])*)"/.exec(foldFlow(joined.split('\n')))?.[1]
  return inside?.replace(ESCAPE, (_all, x, u, wide, letter) =>
    letter === undefined ? codePoint(x ?? u ?? wide) : (escapes[letter] ?? letter),
  )
}

const ESCAPE = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([\s\S]))/g

function codePoint(hex: string): string {
  const code = Number.parseInt(hex, 16)
  return code > 0x10ffff ? '\uFFFD' : String.fromCodePoint(code)
}
