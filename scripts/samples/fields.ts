// What agents' records of the story are made of.
import { createHash } from 'node:crypto'
import type { ToolCall } from './story.ts'

/** The folder that all sessions work in. */
export const project = '/home/dev/shop'

/** The command or the file. */
export function subjectOf(call: ToolCall): string {
  return call.kind === 'shell' ? call.command : call.path
}

/** What the tool printed. */
export function resultOf(call: ToolCall): string {
  if (call.kind !== 'edit') return call.output
  return call.before === '' ? `Wrote ${call.path}` : `The file ${call.path} has been updated.`
}

export const iso = (time: number): string => new Date(time).toISOString()

/** A UUID that is the same at each run. */
export function uuid(...names: readonly (string | number)[]): string {
  const hex = token(32, ...names)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** `count` letters and digits, for ids of other shapes. */
export function token(count: number, ...names: readonly (string | number)[]): string {
  return createHash('sha256').update(names.join('/')).digest('hex').slice(0, count)
}
