import { readAnswerText } from '../_shared/answer-text.ts'
import type { ScreenAnswer, ScreenRow } from '../screen.ts'

/** What is below the logo and above the first prompt is not said. */
const LOGO = /^ {2}╭─╮╭─╮/
/** What it thinks has the same mark. */
const PROMPT = /^ ❯ (?!Thinking…|Thought for )/
/** Below a prompt that waits for its turn. */
const PENDING = /^ {3}└ \[pending/
const MARK = /^ ● /
/** The colour of the mark of a call that is done. That of a text is blue, and so is that of a notice. */
const GREEN = '2'
const NOTICE = /^ ● (?:Shell ".*" completed|Operation cancelled by user)/

/** `rows`: those above the input box. The first are its tabs. */
export function readAnswer(rows: readonly ScreenRow[]): ScreenAnswer | undefined {
  const shown = rows.slice(1).map((row) => ({ ...row, text: withoutBar(row.text), vivid: withoutBar(row.vivid) }))
  const pending = shown.findIndex(({ text }) => PENDING.test(text))
  const isPrompt = ({ text }: ScreenRow): boolean => PROMPT.test(text)
  const conversation = pending < 0 ? shown : shown.slice(0, shown.slice(0, pending).findLastIndex(isPrompt))
  if (conversation.some(({ text }) => LOGO.test(text)) && !conversation.some(isPrompt)) return undefined
  return readAnswerText(conversation, {
    mark: MARK,
    indent: /^ {3}/,
    prompt: PROMPT,
    output: /^ {3}└ /,
    isOther: ({ text, colour }) => (colour === GREEN && MARK.test(text)) || NOTICE.test(text),
  })
}

/** A conversation that is taller than the screen has a scroll bar. */
function withoutBar(text: string): string {
  return text.replace(/ *┃$/, '')
}
