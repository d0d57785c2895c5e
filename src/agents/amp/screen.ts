import { trimmed } from '../_shared/answer-text.ts'
import { readMarkedList } from '../_shared/framed-list.ts'
import { readInputBox } from '../_shared/input-box.ts'
import type { ScreenAnswer, ScreenQuestion, ScreenRow } from '../screen.ts'

/** Of the input box: it names the mode. The frame of a question is plain. */
const TOP = /^╭─.*\p{L}.*╮$/u
/** What the user said. */
const PROMPT = /^ {2}┃/
/** A command, another call, or what it thinks: `✓ Read cart.ts`. */
const STEP = /^ {2}[$✓✕⋯⠀-⣿] /
/** Of a conversation that is taller than the screen. */
const SCROLL_BAR = /\s*[▁▂▃▄▅▆▇█]\s*$/

/** Under a list of commands the box is drawn faint. */
export function readInput(rows: readonly ScreenRow[]): string | undefined {
  const vivid = rows.map(({ vivid }) => vivid.replace(/^│ ?|\s*│$/g, ''))
  return readInputBox(
    vivid.map((text) => ({ text, vivid: text })),
    { top: TOP, prompt: /^/, bottom: /^╰─/, below: /^ / },
  )
}

/** ` ≈ Streaming response...  Esc to cancel`, below the box. Its first screen is animated while it waits. */
export function isWorking(rows: readonly ScreenRow[]): boolean {
  const bottom = rows.findLastIndex(({ text }) => text.startsWith('╰'))
  return bottom >= 0 && rows.slice(bottom).some(({ text }) => /\bEsc (?:again )?to cancel\b/.test(text))
}

/** It asks in a frame in place of the input box. A list of commands in front of the box can only be used in the terminal. */
export function readQuestion(rows: readonly ScreenRow[]): ScreenQuestion | undefined {
  const bottom = rows.findLastIndex(({ text }) => /^╰─+╯$/.test(text))
  if (bottom >= 0) {
    const top = rows.slice(0, bottom).findLastIndex(({ text }) => !text.startsWith('│'))
    const inside = rows.slice(top + 1, bottom).map(({ text }) => text.replace(/^│ ?|\s*│\s*$/g, ''))
    return readMarkedList(inside, /^‣ /)
  }
  const title = rows.findIndex(({ text }) => /┌─{20,}┐/.test(text)) + 1
  const [, text] = /│\s+(\S.*?)\s+│/.exec(rows[title]?.text ?? '') ?? []
  return title > 0 && text !== undefined ? { text, details: '', choices: [], marked: -1 } : undefined
}

/** What is said has no mark of its own: it is what follows a prompt or a step. */
export function readAnswer(rows: readonly ScreenRow[]): ScreenAnswer | undefined {
  const frame = rows.findLastIndex(({ text }) => text.startsWith('╭'))
  const shown = rows.slice(0, Math.max(0, frame)).map(({ text }) => text.replace(SCROLL_BAR, '').trimEnd())
  const before = shown.findLastIndex((line) => PROMPT.test(line) || STEP.test(line))
  // Without a scroll bar there is no conversation yet.
  if (before < 0 && !SCROLL_BAR.test(rows[0]?.text ?? '')) return undefined
  // The rest of a prompt, and the output of a step, end with a blank row.
  const from = before < 0 ? 0 : shown.findIndex((line, at) => at > before && line === '')
  const said = from < 0 ? [] : trimmed(shown.slice(from).map((line) => line.replace(/^ {2}/, '')))
  return said.length === 0 ? undefined : { rows: said, begins: before >= 0 }
}
