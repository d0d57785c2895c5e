import { createHash } from 'node:crypto'
import { contextRules } from './context-rules.ts'
import { keyRules } from './key-rules.ts'
import { personRules } from './person-rules.ts'
import type { Rule } from './rule.ts'
import { loadSecretlint, type Scan } from './secretlint.ts'

/** What was masked, with the number of times. */
export interface Finding {
  readonly rule: string
  readonly count: number
}

const rules: readonly Rule[] = [...keyRules, ...contextRules, ...personRules]

/** Separates the texts of a batch; no rule matches across it. */
const BETWEEN = '\n\0\0\n'
/** Masking can expose another match. Two rounds are usual; the last one finds nothing. */
const ROUNDS = 8
/** Maximum number of secrets found by their context that are then masked everywhere. */
const MAX_KNOWN = 500

/** Loads secretlint's rules once. Each session needs its own redactor, which remembers its placeholders. */
export async function loadRedactors(): Promise<() => Redactor> {
  const scan = await loadSecretlint()
  return () => new Redactor(scan)
}

/** Masks secrets and personal data. The same secret has the same placeholder throughout a session. */
export class Redactor {
  readonly #scan: Scan
  readonly #counts = new Map<string, number>()
  /** By hash: a substring would keep the whole text in memory. */
  readonly #placeholders = new Map<string, string>()
  readonly #numbers = new Map<string, number>()
  readonly #known = new Map<string, string>()
  #knownPattern: RegExp | undefined

  constructor(scan: Scan) {
    this.#scan = scan
  }

  /** Everything masked so far, most frequent first. */
  get findings(): Finding[] {
    return [...this.#counts]
      .map(([rule, count]) => ({ rule, count }))
      .sort((a, b) => b.count - a.count || (a.rule < b.rule ? -1 : 1))
  }

  redactText(text: string): string {
    let current = text
    for (let round = 0; round < ROUNDS; round++) {
      const next = this.#round(current)
      if (next === current) break
      current = next
    }
    return current
  }

  /** Many texts in one batch, several times faster than one by one; only changed texts are scanned again. */
  redactTexts(texts: readonly string[]): string[] {
    if (texts.some((text) => text.includes('\0\0'))) return texts.map((text) => this.redactText(text))
    const results = [...texts]
    let open = [...texts.keys()]
    for (let round = 0; round < ROUNDS && open.length > 0; round++) {
      const before = open.map((index) => results[index]!)
      const after = this.#round(before.join(BETWEEN)).split(BETWEEN)
      for (const [place, index] of open.entries()) results[index] = after[place]!
      open = open.filter((_, place) => after[place] !== before[place])
    }
    return results
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
  learn(text: string): void {
    for (const rule of rules) {
      if (!rule.contextual) continue
      for (const match of text.matchAll(rule.pattern)) {
        this.#remember(match[0].slice(match.groups?.keep?.length ?? 0), rule.id)
      }
    }
  }

  #round(text: string): string {
    let current = this.#maskReported(text)
    for (const rule of rules) {
      if (rule.hint === undefined || current.includes(rule.hint)) current = this.#maskRule(current, rule)
    }
    // A known secret, here without the context that revealed it.
    return this.#knownPattern
      ? current.replace(this.#knownPattern, (secret) => this.#mask(this.#known.get(secret) ?? 'secret', secret))
      : current
  }

  #maskReported(text: string): string {
    const reported = this.#scan(text)
    if (reported.length === 0) return text
    const ruleOf = new Map(reported.map(({ secret, rule }) => [secret, rule]))
    for (const { secret, rule, contextual } of reported) if (contextual) this.#remember(secret, rule)
    return text.replace(anyOf([...ruleOf.keys()]), (secret) => this.#mask(ruleOf.get(secret) ?? 'secret', secret))
  }

  #maskRule(text: string, rule: Rule): string {
    return text.replace(rule.pattern, (match: string, ...rest: unknown[]) => {
      const groups = rest.at(-1)
      const keep = groups && typeof groups === 'object' ? ((groups as { keep?: string }).keep ?? '') : ''
      const secret = match.slice(keep.length)
      if (rule.contextual) this.#remember(secret, rule.id)
      return keep + this.#mask(rule.id, secret, rule.mask)
    })
  }

  #mask(rule: string, secret: string, mask?: string): string {
    this.#counts.set(rule, (this.#counts.get(rule) ?? 0) + 1)
    if (mask !== undefined) return mask
    const hash = createHash('sha256').update(secret).digest('base64')
    const known = this.#placeholders.get(hash)
    if (known) return known
    const number = (this.#numbers.get(rule) ?? 0) + 1
    this.#numbers.set(rule, number)
    const placeholder = `[redacted:${rule}-${number}]`
    this.#placeholders.set(hash, placeholder)
    return placeholder
  }

  #remember(secret: string, rule: string): void {
    if (secret.length < 16 || this.#known.has(secret) || this.#known.size >= MAX_KNOWN) return
    // A copy, so that the whole text is not kept in memory.
    this.#known.set(Buffer.from(secret).toString(), rule)
    this.#knownPattern = anyOf([...this.#known.keys()])
  }
}

/** Longest first, so that none is masked only in part. */
function anyOf(texts: readonly string[]): RegExp {
  const sorted = [...texts].sort((a, b) => b.length - a.length)
  return new RegExp(sorted.map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g')
}
