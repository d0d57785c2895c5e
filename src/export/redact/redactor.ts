import { createHash } from 'node:crypto'
import { isSecretValue } from './assignments.ts'
import type { Found } from './found.ts'
import { KnownSecrets } from './known-secrets.ts'
import { strengthOf } from './names.ts'
import { viewOf } from './normalise.ts'
import { scanPersons, statedHomes } from './persons.ts'
import { scan, scanContexts } from './scan.ts'
import { isDistinct } from './values.ts'

/** What was masked, with the number of times. */
export interface Finding {
  readonly rule: string
  readonly count: number
}

/** A text, and the name under which it is stored, where that says whether it is a secret. */
export interface NamedText {
  readonly text: string
  readonly name?: string | undefined
}

/** Separates the texts of a batch; no rule matches across it. */
const BETWEEN = '\n\0\0\n'
/** Masking can expose another match. Two rounds are usual; the last one finds nothing. */
const ROUNDS = 8
/** Each is searched for in every text. */
const MAX_HOMES = 20

/** What secrets are replaced by, numbered by kind. Redactors that share one give the same secret the same placeholder. */
export class Placeholders {
  /** By hash: a substring would keep the whole text in memory. */
  readonly #placeholders = new Map<string, string>()
  readonly #numbers = new Map<string, number>()

  of(kind: string, secret: string): string {
    const hash = createHash('sha256').update(secret).digest('base64')
    const known = this.#placeholders.get(hash)
    if (known) return known
    const number = (this.#numbers.get(kind) ?? 0) + 1
    this.#numbers.set(kind, number)
    const placeholder = `[redacted:${kind}-${number}]`
    this.#placeholders.set(hash, placeholder)
    return placeholder
  }
}

/** Masks secrets and personal data. The same secret has the same placeholder throughout a session. */
export class Redactor {
  readonly #homes: string[] = []
  readonly #counts = new Map<string, number>()
  readonly #placeholders: Placeholders
  readonly #known = new KnownSecrets()
  /** The calls of tools that read a file which is a secret as a whole; kept by redact-event.ts. */
  readonly secretCalls = new Set<string>()

  /** `homes`: folders that become `~` wherever they are, in addition to those in the usual places. */
  constructor(homes: readonly string[] = [], placeholders = new Placeholders()) {
    this.#placeholders = placeholders
    this.#addHomes(homes)
  }

  #addHomes(homes: readonly string[]): void {
    for (const home of homes) {
      if (home.length > 3 && this.#homes.length < MAX_HOMES && !this.#homes.includes(home)) this.#homes.push(home)
    }
  }

  /** Everything masked so far, most frequent first. */
  get findings(): Finding[] {
    return [...this.#counts]
      .map(([rule, count]) => ({ rule, count }))
      .sort((a, b) => b.count - a.count || (a.rule < b.rule ? -1 : 1))
  }

  redactText(text: string): string {
    return this.redactTexts([{ text }])[0]!
  }

  /** Many texts in one batch, which is faster than one by one; only changed texts are scanned again. */
  redactTexts(texts: readonly NamedText[]): string[] {
    const results = texts.map(({ text, name }) => this.#byName(text, name) ?? text)
    if (texts.some(({ text }) => text.includes('\0\0'))) return results.map((text) => this.#repeated([text])[0]!)
    return this.#repeated(results)
  }

  /** For text that is masked elsewhere too and must not be counted twice. */
  uncounted<T>(work: () => T): T {
    const counts = [...this.#counts]
    const result = work()
    this.#counts.clear()
    for (const [rule, count] of counts) this.#counts.set(rule, count)
    return result
  }

  /** Learns secrets from their context without masking, so that they are masked from the start of the session. */
  learn(texts: readonly NamedText[]): void {
    for (const { text, name } of texts) {
      if (name !== undefined && isNamedSecret(text, name)) this.#remember(text, 'secret')
    }
    const raw = texts.map(({ text }) => text).join(BETWEEN)
    this.#addHomes(statedHomes(raw))
    const view = viewOf(raw)
    const found: Found[] = []
    scanContexts(view, found)
    this.#rememberAll(found, view.text)
  }

  #repeated(texts: readonly string[]): string[] {
    const results = [...texts]
    let open = [...texts.keys()]
    for (let round = 0; round < ROUNDS && open.length > 0; round++) {
      const before = open.map((index) => results[index]!)
      const { text, isFinal } = this.#round(before.join(BETWEEN))
      const after = text.split(BETWEEN)
      for (const [place, index] of open.entries()) results[index] = after[place]!
      open = isFinal ? [] : open.filter((_, place) => after[place] !== before[place])
    }
    return results
  }

  #byName(text: string, name: string | undefined): string | undefined {
    if (name === undefined || !isNamedSecret(text, name)) return undefined
    this.#remember(text, 'secret')
    return this.#mask('secret', text) + newlinesOf(text)
  }

  /** `isFinal`: nothing was masked, so that nothing new can be found. */
  #round(raw: string): { text: string; isFinal: boolean } {
    const view = viewOf(raw)
    const inView = scan(view)
    this.#rememberAll(inView, view.text)
    this.#known.find(view.text, inView)
    const found: Found[] = inView.map((one) => ({ ...one, start: view.rawStart(one.start), end: view.rawEnd(one.end) }))
    this.#addHomes(statedHomes(raw))
    scanPersons(raw, this.#homes, found)
    if (found.length === 0) return { text: raw, isFinal: true }
    const pieces: string[] = []
    let from = 0
    for (const { start, end, kind, mask, quote = '' } of merged(found)) {
      const secret = raw.slice(start, end)
      pieces.push(raw.slice(from, start))
      pieces.push(
        mask === undefined
          ? quote + this.#mask(kind, viewOf(secret).text) + quote + newlinesOf(secret)
          : this.#mask(kind, secret, mask),
      )
      from = end
    }
    pieces.push(raw.slice(from))
    return { text: pieces.join(''), isFinal: false }
  }

  #mask(kind: string, secret: string, mask?: string): string {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1)
    if (mask !== undefined) return mask
    return this.#placeholders.of(kind, secret)
  }

  #rememberAll(found: readonly Found[], text: string): void {
    for (const { start, end, kind, learn } of found) if (learn) this.#remember(text.slice(start, end), kind)
  }

  #remember(secret: string, kind: string): void {
    if (isDistinct(secret)) this.#known.add(secret, kind)
  }
}

/** The text as a whole is the value of a field whose name says that it is a secret. */
function isNamedSecret(text: string, name: string): boolean {
  const strength = text.length <= 4096 ? strengthOf(name) : undefined
  return strength !== undefined && isSecretValue(text, strength, name, { isQuoted: true, style: 'config' })
}

/** In order, and those that overlap as one: the first names it, and what is longer is masked to its end. */
function merged(found: readonly Found[]): Found[] {
  const results: Found[] = []
  for (const one of found.toSorted((a, b) => a.start - b.start || rank(a) - rank(b) || b.end - a.end)) {
    const last = results.at(-1)
    if (!last || one.start >= last.end) results.push(one)
    // The end of a password and the host after it are no address: `ann:secret@example.com`.
    else if (one.end > last.end && rank(one) <= rank(last)) {
      const { mask: _mask, ...secret } = last.mask === undefined ? last : one
      results[results.length - 1] = { ...secret, start: last.start, end: one.end }
    }
  }
  return results
}

/** Secrets before persons. */
function rank({ kind }: Found): number {
  return kind === 'email' ? 2 : kind === 'home-path' || kind === 'user-name' ? 1 : 0
}

/** A document keeps its lines. */
function newlinesOf(text: string): string {
  return text.replace(/[^\n]+/g, '')
}
