import type { EventOf } from '../events/schema.ts'
import { contentText } from '../events/text.ts'
import { callSummary } from '../export/call-summary.ts'
import { plain } from '../platform/plain-text.ts'
import type { Palette } from './colour.ts'
import { fit, oneLine, width, wrap } from './text.ts'

export interface ToolCall {
  readonly use: Pick<EventOf<'tool_use'>, 'name' | 'input'> | undefined
  readonly result: Pick<EventOf<'tool_result'>, 'content' | 'is_error'> | undefined
}

const MAX_TEXT_LENGTH = 2000

/** A call on one line: `▸ Bash npm test → 12 passed`. */
export function foldedCall({ use, result }: ToolCall, columns: number, colours: Palette): string {
  const sign = result?.is_error ? colours.bad('✗') : colours.accent('▸')
  const name = fit(use ? oneLine(use.name) : 'result', 30)
  const input = use ? oneLine(callSummary(use.input).slice(0, MAX_TEXT_LENGTH)) : ''
  const output = result
    ? oneLine(contentText(result.content).slice(0, MAX_TEXT_LENGTH)) || '(no output)'
    : '(no result)'
  const available = columns - 4 - width(name) - 1 - 3
  // A long input leaves at least a third of the line to its result.
  const shown = fit(input, Math.max(available - width(output), Math.floor((available * 2) / 3)))
  const said = fit(output, available - width(shown))
  const paint = result?.is_error ? colours.bad : colours.faint
  const words = [colours.strong(name), shown].filter(Boolean).join(' ')
  return `  ${sign} ${words}${paint(` → ${said}`)}`
}

/** A call with its full input and output. */
export function unfoldedCall({ use, result }: ToolCall, columns: number, colours: Palette): string[] {
  const sign = result?.is_error ? colours.bad('✗') : colours.accent('▸')
  const lines = [`  ${sign} ${colours.strong(fit(use ? oneLine(use.name) : 'result', columns - 4))}`]
  if (use) lines.push(...inputLines(use.input, columns - 6).map((line) => `      ${line}`.trimEnd()))
  if (!result) return [...lines, colours.faint('    → (no result)')]
  const text = plain(contentText(result.content)).replace(/\n+$/, '')
  const paint = result.is_error ? colours.bad : colours.faint
  lines.push(paint(result.is_error ? '    → failed' : '    →'))
  for (const line of wrap(text, columns - 6)) lines.push(line === '' ? '' : `      ${paint(line)}`)
  return lines
}

function inputLines(input: unknown, columns: number): string[] {
  if (input === null || typeof input !== 'object') return wrap(plain(String(input)), columns)
  return Object.entries(input).flatMap(([name, value]) => {
    const text = plain(typeof value === 'string' ? value : JSON.stringify(value, null, 1)).replace(/\n+$/, '')
    if (!text.includes('\n') && text.length < columns) return wrap(`${oneLine(name)}: ${text}`, columns)
    return [`${oneLine(name)}:`, ...wrap(text, columns - 2).map((line) => `  ${line}`)]
  })
}
