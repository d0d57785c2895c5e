// Compares what the model must see of a session with the request that it received: each event verbatim, changed or not sent.
import { isDeepStrictEqual } from 'node:util'
import type { SeenEvent } from './hard-sessions.ts'
import type { Piece } from './received.ts'

export type Fate = 'verbatim' | 'changed' | 'not sent'

export interface Outcome {
  readonly event: SeenEvent
  readonly fate: Fate
  /** Of what is not verbatim. */
  readonly why?: string
  /** Where in the request. */
  readonly at?: number
  /** Of a call and its result: whether the id is the source's, or the one that the report maps it to. */
  readonly sameId?: boolean
}

/** How many of how many. */
export interface Share {
  readonly held: number
  readonly of: number
}

export const ASPECTS = ['text', 'calls', 'results', 'order', 'ids'] as const
export type Aspect = (typeof ASPECTS)[number]
export type Fidelity = Readonly<Record<Aspect, Share>>

/**
 * `ids`: by the source's id of a call, the id that the report says it has now. A text is verbatim if it is in a text of the
 * same speaker as it was, apart from blanks at its ends: agents join texts and put their own around them.
 */
export function outcomes(
  seen: readonly SeenEvent[],
  pieces: readonly Piece[],
  ids: Readonly<Record<string, string>>,
): Outcome[] {
  const finder = new Finder(pieces, ids)
  return seen.map((event) => finder.find(event))
}

export function fidelityOf(all: readonly Outcome[]): Fidelity {
  const share = (kinds: readonly string[]): Share => {
    const own = all.filter(({ event }) => kinds.includes(event.kind))
    return { held: own.filter(({ fate }) => fate === 'verbatim').length, of: own.length }
  }
  const named = all.filter(({ sameId }) => sameId !== undefined)
  return {
    text: share(['user', 'summary', 'assistant']),
    calls: share(['call']),
    results: share(['result']),
    order: orderOf(all),
    ids: { held: named.filter(({ sameId }) => sameId).length, of: named.length },
  }
}

/** Reasons for whatever is not verbatim, with how often. */
export function reasonsOf(all: readonly Outcome[]): string[] {
  const counts = new Map<string, number>()
  for (const { event, fate, why, sameId } of all) {
    const kind = event.kind === 'user' ? 'prompt' : event.kind === 'assistant' ? 'answer' : event.kind
    if (fate !== 'verbatim') add(`${kind} ${fate}${why ? `: ${why}` : ''}`)
    if (sameId === false) add(`id of a ${kind}: another one`)
  }
  return [...counts].map(([reason, count]) => `${count} × ${reason}`)

  function add(reason: string): void {
    counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
}

class Finder {
  readonly #pieces: readonly Piece[]
  readonly #ids: Readonly<Record<string, string>>
  /** Everything before it was found. */
  #cursor = { piece: 0, offset: 0 }
  readonly #used = new Set<number>()
  /** By the source's id, the id under which the call arrived. */
  readonly #arrived = new Map<string, string>()

  constructor(pieces: readonly Piece[], ids: Readonly<Record<string, string>>) {
    this.#pieces = pieces
    this.#ids = ids
  }

  find(event: SeenEvent): Outcome {
    if (event.kind === 'call') return this.#call(event)
    if (event.kind === 'result') return this.#result(event)
    return this.#text(event)
  }

  #text(event: Extract<SeenEvent, { kind: 'user' | 'summary' | 'assistant' }>): Outcome {
    const role = event.kind === 'assistant' ? 'assistant' : 'user'
    const wanted = event.text.trim()
    const at = this.#placeOf(wanted, role)
    if (at === undefined) return { event, ...this.#changedText(wanted, role) }
    if (event.kind !== 'user' || event.image === undefined) return { event, fate: 'verbatim', at }
    const hasImage = this.#pieces.some((piece) => piece.kind === 'image' && piece.data === event.image)
    return hasImage ? { event, fate: 'verbatim', at } : { event, fate: 'changed', why: 'its image is not sent', at }
  }

  /** After what was found before, or else anywhere. */
  #placeOf(text: string, role: string): number | undefined {
    for (const from of [this.#cursor, { piece: 0, offset: 0 }]) {
      for (let at = from.piece; at < this.#pieces.length; at++) {
        const piece = this.#pieces[at]!
        if (piece.kind !== 'text' || piece.role !== role) continue
        const offset = piece.text.indexOf(text, at === from.piece ? from.offset : 0)
        if (offset < 0) continue
        this.#cursor = { piece: at, offset: offset + text.length }
        return at + offset / (piece.text.length + 1)
      }
    }
    return undefined
  }

  #changedText(text: string, role: string): Pick<Outcome, 'fate' | 'why' | 'at'> {
    const whole = this.#pieces.findIndex((piece) => piece.kind === 'text' && piece.text.includes(text))
    const other = this.#pieces[whole]
    if (other?.kind === 'text') {
      return { fate: 'changed', why: other.role === role ? 'twice' : `sent as ${other.role}`, at: whole }
    }
    const start = text.slice(0, 24)
    const part = this.#pieces.findIndex((piece) => piece.kind === 'text' && piece.text.includes(start))
    return part < 0 ? { fate: 'not sent' } : { fate: 'changed', why: 'only a part of it', at: part }
  }

  #call(event: Extract<SeenEvent, { kind: 'call' }>): Outcome {
    const id = this.#ids[event.id] ?? event.id
    const calls = this.#pieces.flatMap((piece, at) =>
      piece.kind === 'call' && !this.#used.has(at) ? [{ ...piece, at }] : [],
    )
    const isSame = (piece: (typeof calls)[number]): boolean =>
      piece.name === event.name && isDeepStrictEqual(piece.input, event.input)
    const found =
      calls.find((piece) => piece.id === id && isSame(piece)) ??
      calls.find(isSame) ??
      calls.find((one) => one.id === id)
    if (!found) return { event, ...this.#asText(event.name, JSON.stringify(event.input)) }
    this.#used.add(found.at)
    this.#arrived.set(event.id, found.id)
    this.#passed(found.at)
    const { at } = found
    const sameId = found.id === id
    if (isSame(found)) return { event, fate: 'verbatim', at, sameId }
    const why = found.name === event.name ? 'its input differs' : `as a call of ${found.name}`
    return { event, fate: 'changed', why, at, sameId }
  }

  #result(event: Extract<SeenEvent, { kind: 'result' }>): Outcome {
    const id = this.#ids[event.id] ?? event.id
    const arrived = this.#arrived.get(event.id) ?? id
    const own = this.#pieces.flatMap((piece, at) =>
      piece.kind === 'result' && piece.id === arrived && !this.#used.has(at) ? [{ ...piece, at }] : [],
    )
    const found = own.find(({ text }) => holdsText(text, event.text)) ?? own[0]
    if (!found) return { event, ...this.#resultAsText(event.text) }
    this.#used.add(found.at)
    this.#passed(found.at)
    const { at, text } = found
    const sameId = found.id === id
    if (holdsText(text, event.text)) return { event, fate: 'verbatim', at, sameId }
    const why =
      text.length < event.text.length ? `shortened to ${sizeOf(text)} of ${sizeOf(event.text)}` : 'its text differs'
    return { event, fate: 'changed', why: event.text === '' ? 'empty, sent as a note' : why, at, sameId }
  }

  /** Stores of text have other ends of lines, and nothing of an empty result. */
  #resultAsText(text: string): Pick<Outcome, 'fate' | 'why' | 'at'> {
    const whole = this.#asText(text)
    if (whole.fate !== 'not sent') return whole
    const [line = ''] = text.trim().split(/\r?\n/)
    const start = this.#asText(line)
    return start.fate === 'not sent' ? start : { ...start, why: 'sent as text, with other ends of lines' }
  }

  #asText(...parts: readonly string[]): Pick<Outcome, 'fate' | 'why' | 'at'> {
    const at = this.#pieces.findIndex(
      (piece) => piece.kind === 'text' && parts.every((part) => part !== '' && piece.text.includes(part)),
    )
    const piece = this.#pieces[at]
    if (piece?.kind !== 'text') return { fate: 'not sent' }
    const offset = piece.text.indexOf(parts.at(-1)!)
    return { fate: 'changed', why: 'sent as text', at: at + offset / (piece.text.length + 1) }
  }

  /** What comes later is looked for behind it first. */
  #passed(at: number): void {
    if (at > this.#cursor.piece) this.#cursor = { piece: at, offset: 0 }
  }
}

function sizeOf({ length }: string): string {
  return length < 2000 ? `${length} characters` : `${Math.round(length / 1000)} KB`
}

/** Agents put their own lines around an output. */
function holdsText(text: string, wanted: string): boolean {
  return wanted.trim() === '' ? text.trim() === '' : text.includes(wanted.trim())
}

/**
 * Texts and calls in the order of the source, and each result between its call and the next text: several stores keep results
 * with their calls, so that calls that were made at once are sent one after the other.
 */
function orderOf(all: readonly Outcome[]): Share {
  const found = all.filter((one): one is Outcome & { at: number } => one.at !== undefined)
  const isResult = ({ event }: Outcome): boolean => event.kind === 'result'
  const calls = new Map(found.flatMap(({ event, at }) => (event.kind === 'call' ? [[event.id, at] as const] : [])))
  let next = Number.POSITIVE_INFINITY
  let results = 0
  for (const { event, at } of found.toReversed()) {
    if (event.kind === 'result') results += at > (calls.get(event.id) ?? -1) && at < next ? 1 : 0
    else if (event.kind !== 'call') next = at
  }
  const others = found.filter((one) => !isResult(one)).map(({ at }) => at)
  return { held: longestRun(others) + results, of: found.length }
}

/** The length of the longest part, not necessarily connected, that grows. */
function longestRun(places: readonly number[]): number {
  const ends: number[] = []
  for (const place of places) {
    const at = ends.findIndex((end) => end > place)
    if (at < 0) ends.push(place)
    else ends[at] = place
  }
  return ends.length
}
