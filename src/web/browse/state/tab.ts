import { computed, signal } from '@preact/signals'
import { abilities } from './abilities.ts'
import { route } from './route.ts'
import { listed } from './session.ts'
import { sessions } from './sessions.ts'

/** The chat that this page has started. A page has state for one chat, so another one needs the page to be loaded again. */
export const startedChat = signal<{ readonly task: string; readonly session: string } | undefined>(undefined)

/**
 * The task whose chat the open session is: Ion runs it, or did so while its chat was open, which then says how it ended and can
 * start it again.
 */
export const chatTask = computed((): string | undefined => {
  const { session } = route.value
  if (session === undefined || abilities.value.read_only) return undefined
  const task = listed.value?.live?.task
  if (task !== undefined || startedChat.value?.session !== session) return task
  const { task: last } = startedChat.value
  // The task continues with another session.
  return sessions.value.some(({ id, live }) => id !== session && live?.task === last) ? undefined : last
})

export const TABS = ['chat', 'transcript', 'changes', 'sub-agents', 'usage', 'raw'] as const
export type Tab = (typeof TABS)[number]

/** The tab of the address. Without one, a session that is live is its chat, unless the address leads to an event. */
export const tab = computed((): Tab => {
  const { query, event } = route.value
  const wanted = TABS.find((one) => one === query.get('tab')) ?? (event === undefined ? 'chat' : 'transcript')
  return wanted === 'chat' && chatTask.value === undefined ? 'transcript' : wanted
})
