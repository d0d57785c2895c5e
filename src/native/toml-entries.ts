/** Where a value of a TOML file is: offsets into its text. */
export interface TomlEntry {
  /** All keys down to the value. */
  readonly path: readonly string[]
  /** The table that it is written in; its own key has the rest of the path. */
  readonly table: readonly string[]
  readonly keyStart: number
  readonly valueStart: number
  readonly valueEnd: number
  /** Written in the braces of another value. */
  readonly isInline: boolean
}

/** A header such as `[projects]`. */
export interface TomlHeader {
  readonly path: readonly string[]
  readonly start: number
  readonly end: number
  /** `[[hooks]]`: one of several, so it cannot be named by its path. */
  readonly isElement: boolean
}

export interface TomlParts {
  readonly entries: readonly TomlEntry[]
  readonly headers: readonly TomlHeader[]
}

/** Finds the values of a text that is known to be TOML. */
export function tomlParts(text: string): TomlParts {
  return new Scanner(text).scan()
}

/** The line, counted from 1, on which the path is set first; undefined if it is not set. */
export function tomlLine(text: string, path: readonly string[]): number | undefined {
  const { entries, headers } = tomlParts(text)
  const isBelow = (one: { readonly path: readonly string[] }): boolean => path.every((key, at) => one.path[at] === key)
  const starts = [
    ...entries.filter(isBelow).map(({ keyStart }) => keyStart),
    ...headers.filter(isBelow).map(({ start }) => start),
  ]
  return starts.length === 0 ? undefined : text.slice(0, Math.min(...starts)).split('\n').length
}

const BLANK = /(?:[\s\uFEFF]|#[^\n]*)+/y
const BARE_KEY = /[\w-]+/y
/** A date and its time may be separated by a space. */
const BARE_VALUE = /\d{4}-\d\d-\d\d \d\d:[^\s#,\]}]*|[^\s#,\]}]+/y
const STRINGS = [
  /"""(?:[^\\]|\\[\s\S])*?"{3,5}/y,
  /'''[\s\S]*?'{3,5}/y,
  /"(?:[^"\\\n]|\\.)*"/y,
  /'[^'\n]*'/y,
] // biome-ignore format: a list

class Scanner {
  readonly #text: string
  readonly #entries: TomlEntry[] = []
  readonly #headers: TomlHeader[] = []
  #at = 0
  #table: readonly string[] = []

  constructor(text: string) {
    this.#text = text
  }

  scan(): TomlParts {
    for (this.#take(BLANK); this.#at < this.#text.length; this.#take(BLANK)) {
      if (this.#text[this.#at] === '[') this.#header()
      else this.#entry(this.#table, false)
    }
    return { entries: this.#entries, headers: this.#headers }
  }

  #header(): void {
    const start = this.#at
    const isElement = this.#text.startsWith('[[', start)
    this.#at += isElement ? 2 : 1
    const path = this.#key()
    this.#take(BLANK)
    this.#at += isElement ? 2 : 1
    this.#table = path
    this.#headers.push({ path, start, end: this.#at, isElement })
  }

  #entry(table: readonly string[], isInline: boolean): void {
    const keyStart = this.#at
    const path = [...table, ...this.#key()]
    this.#take(BLANK)
    this.#expect('=')
    this.#take(BLANK)
    const valueStart = this.#at
    this.#value(path)
    this.#entries.push({ path, table, keyStart, valueStart, valueEnd: this.#at, isInline })
  }

  /** Parts with dots between them. */
  #key(): string[] {
    const keys: string[] = []
    do {
      this.#take(BLANK)
      const bare = this.#take(BARE_KEY)
      keys.push(bare ?? unquoted(this.#string() ?? this.#fail()))
      this.#take(BLANK)
    } while (this.#accept('.'))
    return keys
  }

  #value(path: readonly string[]): void {
    if (this.#accept('[')) this.#list(']', () => this.#value([...path, '']))
    else if (this.#accept('{')) this.#list('}', () => this.#entry(path, true))
    else if (this.#string() === undefined && this.#take(BARE_VALUE) === undefined) this.#fail()
  }

  #list(end: string, one: () => void): void {
    for (this.#take(BLANK); !this.#accept(end); this.#take(BLANK)) {
      one()
      this.#take(BLANK)
      this.#accept(',')
    }
  }

  #string(): string | undefined {
    for (const pattern of STRINGS) {
      const found = this.#take(pattern)
      if (found !== undefined) return found
    }
    return undefined
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const [found] = pattern.exec(this.#text) ?? []
    this.#at += found?.length ?? 0
    return found
  }

  #accept(sign: string): boolean {
    if (this.#text[this.#at] !== sign) return false
    this.#at++
    return true
  }

  #expect(sign: string): void {
    if (!this.#accept(sign)) this.#fail()
  }

  #fail(): never {
    throw new Error(`this is not TOML at offset ${this.#at}`)
  }
}

function unquoted(text: string): string {
  return text.startsWith('"') ? (JSON.parse(text) as string) : text.slice(1, -1)
}
