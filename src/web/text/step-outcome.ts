import { relativePaths } from '../../export/relative-paths.ts'
import { plain } from '../../platform/plain-text.ts'
import type { ToolResult, ToolUse } from '../api/contract.ts'
import { count } from './labels.ts'

const LENGTH = 80

/** A result in a few words, for the row of its call: its only line, or how many there are; of an error its last line. */
export function resultSummary(result: ToolResult, project: string | undefined): string {
  const lines = plain(result.content)
    .split('\n')
    .filter((line) => line.trim() !== '')
  if (lines.length === 0) return ''
  if (lines.length > 1 && !result.is_error) {
    return result.truncated ? `${lines.length}+ lines` : count(lines.length, 'line', 'lines')
  }
  const line = relativePaths(lines.at(-1)!.trim(), project)
  return line.length > LENGTH ? `${line.slice(0, LENGTH - 1)}…` : line
}

/**
 * How long a call took, in milliseconds; undefined if that is not known. Agents that write a turn only when it is over give all
 * its records one time, so equal times say nothing.
 */
export function durationOf(call: ToolUse, result: ToolResult | undefined): number | undefined {
  const [from, to] = [Date.parse(call.time ?? ''), Date.parse(result?.time ?? '')]
  return to > from ? to - from : undefined
}

/** `0.4 s`, `12 s`, `2 min 5 s`, `1 h 3 min`. */
export function durationLabel(ms: number): string {
  if (ms < 9_950) return `${Math.max(0.1, ms / 1000).toFixed(1)} s`
  return secondsLabel(Math.round(ms / 1000))
}

/** The same without tenths, for what is still counting. */
export function secondsLabel(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
