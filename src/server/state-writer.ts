import { messageOf } from '../platform/error.ts'
import { type SavedState, saveState } from './state-file.ts'

/** Changes that come together are saved together. */
const GATHER_MS = 250
/** Saving takes at most this part of the time, however large the state is. */
const SHARE = 0.1

/** Saves the state soon after each change, one at a time, without holding up anybody. */
export class StateKeeper {
  readonly #file: string
  readonly #state: () => SavedState
  readonly #onTrouble: (trouble: string) => void
  #timer: NodeJS.Timeout | undefined
  #saving: Promise<void> | undefined
  #notBefore = 0
  #isFailing = false

  constructor(file: string, state: () => SavedState, onTrouble: (trouble: string) => void) {
    this.#file = file
    this.#state = state
    this.#onTrouble = onTrouble
  }

  changed(): void {
    if (this.#timer) return
    const wait = Math.max(GATHER_MS, this.#notBefore - performance.now())
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void this.#save()
    }, wait)
    this.#timer.unref()
  }

  /** The last save: all is on the disk when this is done. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#saving
    await this.#save()
  }

  async #save(): Promise<void> {
    if (this.#saving) {
      this.changed()
      return
    }
    const began = performance.now()
    this.#saving = saveState(this.#file, this.#state()).then(
      () => {
        this.#isFailing = false
      },
      (error) => {
        if (!this.#isFailing) this.#onTrouble(`the state cannot be saved: ${messageOf(error)}`)
        this.#isFailing = true
      },
    )
    await this.#saving
    this.#saving = undefined
    this.#notBefore = performance.now() + (performance.now() - began) * (1 / SHARE - 1)
  }
}
