import { plain } from '../../../platform/plain-text.ts'
import type { MarksChange } from '../../../server/browse/contract.ts'
import { announce, notify, notifyError } from '../../state/page.ts'
import { copyText } from '../../view/copy-button.tsx'
import { changeMarks, resumeInTerminal } from '../api.ts'
import { hrefOf, route } from './route.ts'
import { detail, listed, marked, patchDetail } from './session.ts'
import { loadFilters, patchRow, replaceRow } from './sessions.ts'

/** The actions on the open session; keys, buttons and the palette share them. Each says how it ended. */

async function copy(text: string, what: string): Promise<void> {
  if (await copyText(plain(text))) {
    notify(`Copied ${what}: ${text}`)
    announce(`Copied ${what}`)
  } else notifyError(`Could not copy. ${text}`)
}

export function copyResumeCommand(): void {
  const { resume_command, resumable } = detail.value ?? {}
  if (!resume_command) return
  if (resumable) void copy(resume_command, 'the resume command')
  else notifyError('This session cannot be resumed: its agent no longer has it, or cannot resume sessions.')
}

/** The address of an event, or of the session. */
export function copyLink(event: string | undefined = marked.peek()): void {
  const { session } = route.peek()
  if (session) void copy(location.origin + hrefOf({ session, event, query: { tab: undefined } }), 'the link')
}

export async function resumeHere(): Promise<void> {
  const { session } = route.peek()
  if (!session) return
  try {
    await resumeInTerminal(session)
    notify('A terminal was opened.')
  } catch (error) {
    notifyError(`No terminal was opened: ${(error as Error).message}`)
  }
}

export async function togglePin(): Promise<void> {
  const why = await mark({ pinned: listed.value?.pinned !== true })
  if (why !== undefined) notifyError(`Not saved: ${why}`)
}

/** Shown at once, and taken back if the server refuses. Returns why it did. */
export async function mark(change: MarksChange): Promise<string | undefined> {
  const known = listed.value
  if (!known) return 'the session is not loaded'
  const { id, tags = [] } = known
  const removed = new Set(change.remove_tags)
  const next = {
    ...(change.pinned === undefined ? {} : { pinned: change.pinned || undefined }),
    ...(change.add_tags || change.remove_tags
      ? { tags: [...new Set([...tags, ...(change.add_tags ?? [])])].filter((tag) => !removed.has(tag)) }
      : {}),
    ...(change.name ? { title: change.name } : {}),
  } as Parameters<typeof patchRow>[1]
  const notes = {
    ...(change.note === undefined ? {} : { note: change.note }),
    ...(change.name === undefined ? {} : { name: change.name }),
  }
  const before = { row: known, detail: detail.value }
  patchRow(id, next)
  patchDetail({ ...next, ...notes })
  try {
    await changeMarks(id, change)
    if (change.add_tags || change.remove_tags) void loadFilters()
    announce(change.pinned === undefined ? 'Saved' : change.pinned ? 'Pinned' : 'Unpinned')
    return undefined
  } catch (error) {
    replaceRow(before.row)
    detail.value = before.detail
    return (error as Error).message
  }
}
