import type { SessionRow } from '../catalog/session-row.ts'
import { oneLine } from './text.ts'

type Titled = Pick<SessionRow, 'title' | 'forked_from' | 'pinned' | 'tags'>

/**
 * A session's title in lists, with its tags behind it, which are the first to be cut. A fork is marked: it often has the
 * title of the session it was forked from.
 */
export function listTitle({ title, forked_from, pinned, tags }: Titled, untitled: string): string {
  const marks = `${pinned ? '[pin] ' : ''}${forked_from === null ? '' : '[fork] '}`
  return `${marks}${oneLine(title ?? '') || untitled}${tags.length > 0 ? `  ${tagText(tags)}` : ''}`
}

/** Tags as people write them. */
export function tagText(tags: readonly string[]): string {
  return tags.map((tag) => `#${oneLine(tag)}`).join(' ')
}
