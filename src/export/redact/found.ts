/** A part of a text that is to be masked. */
export interface Found {
  readonly start: number
  readonly end: number
  /** Names the placeholder: `[redacted:github-token-1]`. */
  readonly kind: string
  /** Recognised by its context: masked from then on wherever it is. */
  readonly learn?: boolean
  /** The replacement, if not a numbered placeholder. */
  readonly mask?: string
  /** Put quotes around the placeholder: a number of a JSON text becomes a string. */
  readonly quote?: string
}
