/**
 * Finds many short patterns in one pass: a table of three characters says where one may begin, and only there it is
 * matched. Several times faster than one regular expression with a hundred alternatives.
 */
export class TriggerSearch {
  /** By the first character of a trigger. */
  readonly #patterns: readonly (RegExp | undefined)[]
  readonly #beginnings = new Uint8Array(1 << 18)

  /** The sources of case-insensitive patterns. Each begins with three plain characters, or with a class and two. */
  constructor(sources: readonly string[]) {
    const byFirst = new Map<number, string[]>()
    for (const source of sources) {
      for (const beginning of beginningsOf(source)) {
        const [a, b, c] = [0, 1, 2].map((index) => codes[beginning.charCodeAt(index)]!) as [number, number, number]
        this.#beginnings[(a << 12) | (b << 6) | c] = 1
        byFirst.set(a, [...(byFirst.get(a) ?? []), source])
      }
    }
    this.#patterns = Array.from({ length: 64 }, (_, code) => {
      const own = byFirst.get(code)
      return own && new RegExp([...new Set(own)].join('|'), 'iy')
    })
  }

  /** Calls `visit` with each trigger; it returns where to go on, if that is after the trigger. */
  each(text: string, visit: (index: number, trigger: string) => number): void {
    const { length } = text
    const beginnings = this.#beginnings
    let hash = 0
    for (let index = 0; index < length; index++) {
      hash = ((hash << 6) | codes[text.charCodeAt(index)]!) & 0x3ffff
      if (beginnings[hash] === 0 || index < 2) continue
      const pattern = this.#patterns[hash >> 12]
      if (pattern === undefined) continue
      pattern.lastIndex = index - 2
      const trigger = pattern.exec(text)?.[0]
      if (trigger === undefined) continue
      // A blank at its end may begin the next one.
      const next = Math.max(visit(index - 2, trigger), index - 2 + trigger.trimEnd().length)
      // The search continues there: the next trigger needs three new characters.
      if (next > index + 1) {
        index = next - 1
        hash = 0
      }
    }
  }
}

/** Six bits for each character: a letter in either case, a digit, or one of the marks of a trigger. */
const codes = new Uint8Array(65_536).fill(63)
for (let letter = 0; letter < 26; letter++) codes[65 + letter] = codes[97 + letter] = letter + 1
for (let digit = 0; digit < 10; digit++) codes[48 + digit] = 27
for (const [index, mark] of [...'_ .-:/${"=\t*>'].entries()) codes[mark.charCodeAt(0)] = 28 + index

/** The first three characters of a pattern; `[ab]x` and `(?:a|b)` at its beginning are alternatives. */
function beginningsOf(source: string): string[] {
  const set = /^\[([^\]]+)\]/.exec(source)
  if (set)
    return [...set[1]!.replace('\\t', '\t')].map((first) => first + plain(source.slice(set[0].length)).slice(0, 2))
  return [plain(source).slice(0, 3)]
}

function plain(source: string): string {
  return source.replace(/\\d/g, '0').replace(/\\(.)/g, '$1')
}
