import type { Place } from './record.ts'

/** A record as its name tells. */
export interface ListedRecord extends Place {
  readonly kind: 'checkpoint' | 'segment'
  /** The last record before this epoch; undefined for the first epoch. */
  readonly base: Place | undefined
  readonly key: string
}

/**
 * The names of the objects of one task. Those of records tell their order and on what an epoch builds, so that a list of
 * names is enough to find what must be read.
 */
export class TaskKeys {
  readonly #folder: string

  /** `folder`: the task's own prefix, without a slash at its end. */
  constructor(folder: string) {
    this.#folder = folder
  }

  get lease(): string {
    return `${this.#folder}/lease`
  }

  get records(): string {
    return `${this.#folder}/records/`
  }

  get pieces(): string {
    return `${this.#folder}/pieces/`
  }

  piece(id: string): string {
    return `${this.pieces}${id}`
  }

  record({ epoch, number }: Place, base: Place | undefined, kind: ListedRecord['kind']): string {
    const tenure = [epoch, base?.epoch ?? 0, base?.number ?? 0].map(digits).join('.')
    return `${this.records}${tenure}/${digits(number)}.${kind}`
  }

  /** The epoch of a folder below `records` and the last record before it; undefined for what is not one of them. */
  parseTenure(folder: string): Pick<ListedRecord, 'epoch' | 'base'> | undefined {
    const found = TENURE.exec(folder)
    if (!found) return undefined
    const [epoch, baseEpoch, number] = found.slice(1).map(Number) as [number, number, number]
    if (epoch <= baseEpoch) return undefined
    return { epoch, base: baseEpoch === 0 ? undefined : { epoch: baseEpoch, number } }
  }

  /** Undefined for what is not a record. */
  parse(key: string): ListedRecord | undefined {
    if (!key.startsWith(this.records)) return undefined
    const [, folder = '', digits, kind] = NAME.exec(key.slice(this.records.length)) ?? []
    const tenure = this.parseTenure(folder)
    const number = Number(digits)
    if (!tenure || number === 0) return undefined
    return { ...tenure, number, kind: kind as ListedRecord['kind'], key }
  }
}

const TENURE = /^(\d{9})\.(\d{9})\.(\d{9})$/
const NAME = /^([^/]+)\/(\d{9})\.(checkpoint|segment)$/

/** So that names have the order of the numbers. */
function digits(number: number): string {
  return String(number).padStart(9, '0')
}
