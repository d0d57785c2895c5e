import type { ScreenQuestion, ScreenRow } from '../screen.ts'

// The line prompt of Amazon Q's chat, which the classic engine of its successor has too.

/** With the agent, the used part of the context, the mode, and `!` when every tool is trusted: `[dev] 8% ↯ !> `. */
const PROMPT = /^(?:\[[^\]]+\] )?(?:\d+% )?(?:↯ )?!?>(?: |$)/
/** Printed before the prompt: `Allow this action? Use 't' to trust (always allow) this tool for the session. [y/n/t]:`. */
const APPROVAL = /^(Allow this action\?) Use 't' to (trust .*)\. \[y\/n\/t\]:$/
/** After Ctrl+C at the prompt, which is then printed again. */
const EXIT_HINT = /^\(To exit the CLI, press /
/** How the description of a tool call begins. */
const TOOL = /^\S+\s+Using tool: /
/** No description is taller. */
const MAX_ROWS = 24

/**
 * What is typed at the prompt, as long as it is one row. The first row of an answer begins like the prompt: it is treated
 * as one directly below another, where it follows what the user entered. Of a longer input only the terminal knows that it
 * is not an answer.
 */
export function readChatInput(rows: readonly ScreenRow[]): string | undefined {
  const at = promptAt(rows)
  if (at < 0 || approvalAbove(rows, at)) return undefined
  const typed = rows[at]!.vivid.replace(PROMPT, '').trim()
  const above = rows.slice(0, at).findLast(({ text }) => text.trim() !== '')?.text ?? ''
  return typed !== '' && above.replace(PROMPT, '').trim() !== above.trim() ? undefined : typed
}

/** The question whether a tool may run. Any other text than these letters is a no, and sent to the model. */
export function readApproval(rows: readonly ScreenRow[]): ScreenQuestion | undefined {
  const at = promptAt(rows)
  const approval = at < 0 ? undefined : approvalAbove(rows, at)
  if (!approval) return undefined
  const [, text = '', trust = ''] = APPROVAL.exec(approval.text)!
  return {
    text,
    details: descriptionIn(rows.slice(Math.max(0, approval.from - MAX_ROWS), approval.from)),
    choices: ['Yes', 'No', trust.replace(/^t/, 'T')],
    marked: -1,
    // Without what somebody may have typed.
    typed: ['y', 'n', 't'].map((letter) => `\x15${letter}\r`),
  }
}

/** The row with the prompt, if nothing is below it. */
function promptAt(rows: readonly ScreenRow[]): number {
  const last = rows.findLastIndex(({ text }) => text.trim() !== '')
  return PROMPT.test(rows[last]?.text ?? '') ? last : -1
}

/** Above this prompt, and above those at which nothing was entered; where it is wrapped, it is several rows. */
function approvalAbove(rows: readonly ScreenRow[], at: number): { from: number; text: string } | undefined {
  const isSkipped = (text: string): boolean => text.replace(PROMPT, '').trim() === '' || EXIT_HINT.test(text)
  const end = rows.slice(0, at).findLastIndex(({ text }) => !isSkipped(text))
  const from = rows.slice(0, end + 1).findLastIndex(({ text }) => text.startsWith('Allow this action?'))
  if (from < 0) return undefined
  const text = rows.slice(from, end + 1).reduce((all, row) => all + row.text, '')
  return APPROVAL.test(text.trimEnd()) ? { from, text: text.trimEnd() } : undefined
}

/** From the name of the tool, or else the last paragraph. */
function descriptionIn(rows: readonly ScreenRow[]): string {
  const end = rows.findLastIndex(({ text }) => text.trim() !== '')
  const tool = rows.findLastIndex(({ text }) => TOOL.test(text))
  const paragraph = rows.slice(0, end + 1).findLastIndex(({ text }) => text.trim() === '') + 1
  const lines = rows.slice(tool < 0 ? paragraph : tool, end + 1).map(({ text }) => text.replace(/^ [●⋮↳] ?/, '').trim())
  return lines.filter((line) => line !== '').join('\n')
}
