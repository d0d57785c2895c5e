import type { ScreenAnswer, ScreenRow } from '../screen.ts'

/** The logo, the usage of the context, notices, a list to choose from, and animations: they have colours too. */
const NOT_SAID = /^(?: {3,5}(?:__\( O\)>|\\____\)|L L) | {2}(?:[━╌]{20}|✓) |[◆◇] {2}|│ {2}[●○] |└ *$|[◐◓◑◒] {2}|[⠀-⣿] )/
const PROMPT = /^> /
/** The colour of a call's arguments, which may have blank rows and no indentation. */
const GREEN = '2'

/**
 * What it says is Markdown without any mark. Every row of it has a colour; of the others only those listed above, the
 * arguments of a call, and faint ones such as an answered question.
 */
export function readAnswer(rows: readonly ScreenRow[]): ScreenAnswer | undefined {
  let last: ScreenAnswer | undefined
  let open: { readonly rows: string[]; readonly begins: boolean } | undefined = { rows: [], begins: false }
  for (const { text, vivid, colour } of rows) {
    if (text.trim() === '') open?.rows.push('')
    else if (colour !== undefined && !NOT_SAID.test(text) && (open || (colour !== GREEN && vivid.trim() !== ''))) {
      open ??= { rows: [], begins: true }
      open.rows.push(text)
      last = { rows: open.rows.slice(open.rows.findIndex((row) => row !== '')), begins: open.begins }
    } else {
      open = undefined
      if (colour === undefined && PROMPT.test(text)) last = undefined
    }
  }
  return last
}
