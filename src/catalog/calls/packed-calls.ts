import type { ModelCall } from '../../events/event.ts'

export interface CallTokens {
  readonly input: number
  readonly output: number
  readonly cache_read: number
  readonly cache_write: number
  readonly cache_write_1h: number
  readonly reasoning: number
}

export function sumTokens(of: readonly CallTokens[]): CallTokens {
  const sum = (kind: keyof CallTokens): number => of.reduce((total, one) => total + one[kind], 0)
  return {
    input: sum('input'),
    output: sum('output'),
    cache_read: sum('cache_read'),
    cache_write: sum('cache_write'),
    cache_write_1h: sum('cache_write_1h'),
    reasoning: sum('reasoning'),
  }
}

/** A model call, or a part of one, as the index stores it. */
export interface StoredCall extends CallTokens {
  /** Hash of callIdentity. */
  readonly identity: number
  /** Hash of the event's id: an agent may report one call in parts. */
  readonly event: number
  /** Milliseconds since 1970. */
  readonly at: number
  /** The id of its row in the table of models; 0 where the agent does not store the model. */
  readonly model: number
  readonly tier: ModelCall['tier']
  /** By the agent's own account, in micro-dollars. */
  readonly cost: number | null
  readonly is_sum: boolean
}

/**
 * Calls as bytes: their number, their identities, which can be compared without decoding anything else, and the other values, of
 * which most fit into one to three bytes. A row per call takes four times the space and several times as long to write.
 */
export function packCalls(calls: readonly StoredCall[]): Uint8Array {
  const writer = new Writer(HEADER + calls.length * LONGEST)
  writer.view.setUint32(0, calls.length, true)
  for (const [place, { identity }] of calls.entries()) writer.view.setFloat64(HEADER + place * 8, identity, true)
  writer.at = HEADER + calls.length * 8
  for (const call of calls) {
    writer.number(call.event)
    writer.number(call.at)
    writer.number(call.model)
    writer.number(call.input)
    writer.number(call.output)
    writer.number(call.cache_read)
    writer.number(call.cache_write)
    writer.number(call.cache_write_1h)
    writer.number(call.reasoning)
    writer.number(TIERS.indexOf(call.tier) * 4 + (call.cost === null ? 0 : 2) + (call.is_sum ? 1 : 0))
    if (call.cost !== null) writer.number(call.cost)
  }
  return writer.bytes.slice(0, writer.at)
}

export function countCalls(packed: Uint8Array): number {
  return viewOf(packed).getUint32(0, true)
}

export function firstIdentity(packed: Uint8Array): number {
  return viewOf(packed).getFloat64(HEADER, true)
}

export function eachIdentity(packed: Uint8Array, visit: (identity: number) => void): void {
  const view = viewOf(packed)
  for (let left = view.getUint32(0, true), at = HEADER; left > 0; left--, at += 8) visit(view.getFloat64(at, true))
}

export function unpackCalls(packed: Uint8Array): StoredCall[] {
  const view = viewOf(packed)
  const count = view.getUint32(0, true)
  const reader = new Reader(packed, HEADER + count * 8)
  const calls: StoredCall[] = []
  for (let place = 0; place < count; place++) {
    const identity = view.getFloat64(HEADER + place * 8, true)
    const event = reader.number()
    const at = reader.number()
    const model = reader.number()
    const input = reader.number()
    const output = reader.number()
    const cache_read = reader.number()
    const cache_write = reader.number()
    const cache_write_1h = reader.number()
    const reasoning = reader.number()
    const flags = reader.number()
    const tier = TIERS[flags >> 2]
    const cost = flags & 2 ? reader.number() : null
    const is_sum = (flags & 1) === 1
    // biome-ignore format: one object of a fixed form, since there are hundreds of thousands
    calls.push({ identity, event, at, model, input, output, cache_read, cache_write, cache_write_1h, reasoning, tier, cost, is_sum })
  }
  return calls
}

/** Only add to its end: its places are stored. */
const TIERS: readonly ModelCall['tier'][] = [undefined, 'flex', 'priority']
/** The number of calls. */
const HEADER = 4
/** An identity, and eleven numbers of up to eight bytes. */
const LONGEST = 8 + 11 * 8

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

/** Numbers in groups of seven bits, the lowest first; the high bit says that more follow. */
class Writer {
  readonly bytes: Uint8Array
  readonly view: DataView
  at = 0

  constructor(length: number) {
    this.bytes = new Uint8Array(length)
    this.view = viewOf(this.bytes)
  }

  number(value: number): void {
    // What nobody could have counted, such as a time that is not one, must not make the rest unreadable.
    let rest = Number.isSafeInteger(value) && value > 0 ? value : 0
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.bytes[this.at++] = 128 + (rest % 128)
    this.bytes[this.at++] = rest
  }
}

class Reader {
  readonly #bytes: Uint8Array
  #at: number

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes
    this.#at = at
  }

  number(): number {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#bytes[this.#at++]!
      if (byte < 128) return value + byte * scale
      value += (byte - 128) * scale
    }
  }
}
