import type { SessionRow } from '../catalog/session-row.ts'
import { oneLine } from './text.ts'

/** A session's title in lists. A fork is marked: it often has the title of the session it was forked from. */
export function listTitle({ title, forked_from }: Pick<SessionRow, 'title' | 'forked_from'>, untitled: string): string {
  return `${forked_from === null ? '' : '[fork] '}${oneLine(title ?? '') || untitled}`
}
