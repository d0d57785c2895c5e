/** One row of a terminal. Rows that the terminal wrapped are separate. */
export interface ScreenRow {
  readonly text: string
  /** The text without what is drawn faint or grey: hints and placeholders, as opposed to what somebody typed. */
  readonly vivid: string
  /** Colour of its first character: a number of the palette or `#rrggbb`; missing when it is the terminal's own. */
  readonly colour?: string
  /** That of the background of its first column. */
  readonly background?: string
  /** What is drawn inverse or on a coloured background, with blanks for the rest; missing when nothing is. Some lists mark a choice so. */
  readonly highlighted?: string
}

/** A question with a list of answers. One is marked: the arrow keys move the mark, and Enter takes it; or one is typed. */
export interface ScreenQuestion {
  /** One line. */
  readonly text: string
  /** What it is about, such as the command: none or several lines. */
  readonly details: string
  /** The answers as they are shown, from top to bottom; none where only the terminal can answer. */
  readonly choices: readonly string[]
  /** Index of the marked choice; -1 without a mark. */
  readonly marked: number
  /** The choices are beside each other: the left and right arrow keys move the mark. */
  readonly isRow?: true
  /** What to type for each choice, with its Enter if it needs one: for a question without a mark. */
  readonly typed?: readonly string[]
}

/** The last text on the screen that the agent itself says: not a tool's output, and not what it thinks. */
export interface ScreenAnswer {
  /** Its visible rows, without the agent's mark and indentation. */
  readonly rows: readonly string[]
  /** The first of them is its beginning. Otherwise that has scrolled away, or this may be something else. */
  readonly begins: boolean
}
