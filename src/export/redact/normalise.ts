/**
 * A text as the rules see it: without colour escapes and invisible characters, and with every level of JSON, shell and
 * HTML escaping undone, so that a secret is one piece whatever it was printed through. Positions lead back to the raw text.
 */
export interface View {
  readonly text: string
  /** Where the character at `index` begins in the raw text. */
  rawStart(index: number): number
  /** Where the character before `index` ends in the raw text. */
  rawEnd(index: number): number
}

/** An escape character, as it is or written in JSON, C or shell. */
const ESCAPE = String.raw`(?:\x1b|\\{1,8}(?:u001[bB]|x1[bB]|033|e(?=\[)))`

/** What a view leaves out or replaces. The alternatives are bounded or stop at their own first character. */
const REWRITTEN = new RegExp(
  [
    // Colour and other control sequences; hyperlinks; a colour code that has lost its escape character.
    `(?:${ESCAPE}|\\x9b)\\[[0-?]{0,32}[ -/]{0,4}[@-~]`,
    `${ESCAPE}\\][^\\x07\\x1b\\\\\\n]{0,2000}(?:\\x07|\\x1b\\\\|\\\\{1,8}u0007|\\\\{1,8}u001b\\\\{1,8})?`,
    `${ESCAPE}[ -/]{0,4}[0-~]?`,
    '\\[\\d{1,3}(?:;\\d{1,3}){0,5}m',
    // Backslashes and what they escape, at any depth: a run of them counts once.
    '\\\\+(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\\r?\\n|[nrt"\'`/$&=]|)',
    // The numbers that a tool prints before the lines of a file.
    '(?<=\\n|\\\\n) {0,7}\\d{1,6}(?:→|\\t|\\\\{1,8}t|\\\\{1,8}u2192)',
    '%(?:3[AaDd]|2[26])',
    '&(?:quot|apos|amp|lt|gt|#\\d{2,3}|#x[0-9a-fA-F]{2});',
    '[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2069\\ufeff]+',
  ].join('|'),
  'g',
)

const NEEDED =
  /\n {0,7}\d{1,6}[→\t]|[\\\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|%[23]|&[a-z#]|\[\d{1,3}[;m]/

const ENTITIES: Readonly<Record<string, string>> = { quot: '"', apos: "'", amp: '&', lt: '<', gt: '>' }

export function viewOf(raw: string): View {
  if (!NEEDED.test(raw)) return { text: raw, rawStart: (index) => index, rawEnd: (index) => index }
  const pieces: string[] = []
  // Of each change: where the view and the raw text are after it, and its length in the view (0 or 1).
  const [viewAfter, rawAfter, lengths]: [number[], number[], number[]] = [[], [], []]
  let [from, length] = [0, 0]
  REWRITTEN.lastIndex = 0
  for (let match = REWRITTEN.exec(raw); match; match = REWRITTEN.exec(raw)) {
    const [piece] = match
    const replacement = replacementOf(piece)
    pieces.push(raw.slice(from, match.index), replacement)
    length += match.index - from + replacement.length
    from = match.index + piece.length
    viewAfter.push(length)
    rawAfter.push(from)
    lengths.push(replacement.length)
  }
  pieces.push(raw.slice(from))

  /** The number of changes that end at or before `index`. */
  const changesUpTo = (index: number): number => {
    let [low, high] = [0, viewAfter.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (viewAfter[middle]! <= index) low = middle + 1
      else high = middle
    }
    return low
  }
  const start = (index: number, changes: number): number =>
    changes === 0 ? index : rawAfter[changes - 1]! + index - viewAfter[changes - 1]!

  return {
    text: pieces.join(''),
    rawStart: (index) => start(index, changesUpTo(index)),
    rawEnd(index) {
      if (index === 0) return 0
      const changes = changesUpTo(index - 1)
      return viewAfter[changes] === index && lengths[changes] === 1 ? rawAfter[changes]! : start(index - 1, changes) + 1
    },
  }
}

function replacementOf(piece: string): string {
  const first = piece[0]
  if (first === '\\') return unescaped(piece)
  if (first === ' ' || (first! >= '0' && first! <= '9')) return ''
  if (first === '%') return String.fromCharCode(Number.parseInt(piece.slice(1), 16))
  if (first === '&') {
    const name = piece.slice(1, -1)
    if (name[0] !== '#') return ENTITIES[name] ?? ''
    return visible(name[1] === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1)))
  }
  // The separator of texts in a batch must stay what it is: nothing matches across it.
  return piece.startsWith('\0\0') ? '\0' : ''
}

function unescaped(piece: string): string {
  const text = piece.replace(/^\\+/, '')
  const depth = piece.length - text.length
  if (text === '') return '\\'
  if (text === 'n' || text === 'r') return depth % 3 === 0 ? ' ' : '\n'
  if (text === 't') return '\t'
  if (text.endsWith('\n')) return ' '
  if (text.length === 1) return text
  // Whole control sequences were matched before; this is a single character, if it is one at all.
  if (/^(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})$/.test(text)) return visible(Number.parseInt(text.slice(1), 16))
  return ''
}

function visible(code: number): string {
  if (code === 10 || code === 13) return '\n'
  if (code < 32 || (code >= 127 && code < 161)) return ''
  return String.fromCharCode(code)
}
