/** Row ids of passages: seconds since this day times 64, and a number within the second. They sort by time. */
const EPOCH = Date.UTC(2000, 0, 1)
const PER_SECOND = 64

/** The place of a session's title, which stands nowhere in its events. */
export const TITLE_PLACE = -1

export class PassageIds {
  #lastTime = ''
  #lastId = 1

  /** The lowest id for a passage of that time; of the same moment the same. */
  first(iso: string): number {
    if (iso === this.#lastTime) return this.#lastId
    this.#lastTime = iso
    this.#lastId = idAt(Date.parse(iso))
    return this.#lastId
  }
}

export function idAt(milliseconds: number): number {
  const seconds = Math.floor((milliseconds - EPOCH) / 1000)
  return seconds > 0 ? seconds * PER_SECOND : 1
}

/** The time that an id stands for, to the second. */
export function timeAt(id: number): string {
  return new Date(EPOCH + Math.floor(id / PER_SECOND) * 1000).toISOString()
}
