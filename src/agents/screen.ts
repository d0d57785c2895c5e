/** One row of a terminal. Rows that the terminal wrapped are separate. */
export interface ScreenRow {
  readonly text: string
  /** The text without what is drawn faint or grey: hints and placeholders, as opposed to what somebody typed. */
  readonly vivid: string
}

/** A question with a list of answers, one of which is marked: the arrow keys move the mark, and Enter takes it. */
export interface ScreenQuestion {
  /** One line. */
  readonly text: string
  /** What it is about, such as the command: none or several lines. */
  readonly details: string
  /** The answers as they are shown, from top to bottom. */
  readonly choices: readonly string[]
  /** Index of the marked choice. */
  readonly marked: number
}
