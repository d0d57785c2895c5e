import { isFinding } from '../../state/page.ts'
import { abilities } from '../state/abilities.ts'
import { copyResumeCommand, togglePin } from '../state/actions.ts'
import { isRailOpen, overlay, typedAhead } from '../state/overlay.ts'
import { go, hrefOf, noteEvent, route } from '../state/route.ts'
import { findRow, goTo, goToStart, marked, topEvent, transcriptState } from '../state/session.ts'
import { tab } from '../state/tab.ts'
import { openNeighbour } from './session-list.tsx'

/** For the help. */
export const keys: readonly (readonly [key: string, action: string])[] = [
  ['j  k', 'next and previous message'],
  ['J  K', 'next and previous prompt'],
  [']  [', 'next and previous session'],
  ['/', 'search all sessions'],
  ['Ctrl F', 'find in this session'],
  ['Ctrl K', 'command palette'],
  ['c', 'copy the resume command'],
  ['e', 'export'],
  ['s', 'pin (star)'],
  ['g  G', 'first prompt, and the end'],
  ['Esc', 'close what is open; back to the list'],
  ['?', 'this help'],
]

export function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return
  const command = event.ctrlKey || event.metaKey
  const isTyping =
    event.target instanceof Element && event.target.closest('textarea, input, select, [role=textbox]') !== null
  if (command && event.key.toLowerCase() === 'k') {
    typedAhead.value = ''
    overlay.value = overlay.value === 'palette' ? undefined : 'palette'
  } else if (document.querySelector('dialog[open]')) return
  else if (overlay.value !== undefined) {
    // It is being loaded, and these keys are meant for it.
    if (command) return
    if (event.key === 'Escape') {
      overlay.value = undefined
      typedAhead.value = ''
    } else if (event.key === 'Backspace') typedAhead.value = typedAhead.value.slice(0, -1)
    else if (event.key.length !== 1) return
    else if (overlay.value === 'palette') typedAhead.value += event.key
  } else if (command && event.key === 'f' && hasFind()) {
    // The second time, the browser's own search opens.
    if (isFinding.value && isTyping) return
    isFinding.value = true
    document.querySelector<HTMLElement>('.search-bar input')?.focus()
  } else if (isFinding.value && hasFind() && !isTyping && !command && !document.querySelector('.search-bar')) {
    // The field is there after the next rendering.
  } else if (event.key === 'Escape') {
    if (!closeSomething(event.target)) return
  } else if (isTyping || command || event.altKey || !act(event.key)) return
  event.preventDefault()
}

/** On the other tabs everything is in the page, where the browser's own search finds it. */
function hasFind(): boolean {
  const state = transcriptState.value
  const isThere = route.value.session !== undefined && !(typeof state === 'object' && state.isMissing)
  return isThere && (tab.value === 'chat' || tab.value === 'transcript')
}

function act(key: string): boolean {
  const { session } = route.value
  if (key === '/') document.querySelector<HTMLElement>('#search')?.focus()
  else if (key === '?') overlay.value = 'help'
  else if (key === ']') openNeighbour(1)
  else if (key === '[') openNeighbour(-1)
  else if (session === undefined) return false
  else if (tab.value === 'chat' && 'jkJKg'.includes(key)) return false
  else if (key === 'j' || key === 'k') void move(key === 'j' ? 1 : -1, () => true)
  else if (key === 'J' || key === 'K') void move(key === 'J' ? 1 : -1, ({ kind }) => kind === 'prompt')
  else if (key === 'G') goToEnd()
  else if (key === 'g') void goToStart().then(noteMarked)
  else if (key === 'c') copyResumeCommand()
  else if (key === 'e') overlay.value = 'export'
  else if (key === 's' && !abilities.value.read_only) void togglePin()
  else return false
  return true
}

function goToEnd(): void {
  document.querySelector<HTMLElement>('.to-end')?.click()
  marked.value = undefined
  noteMarked()
}

/** From the marked row, or from the first visible one. */
async function move(direction: 1 | -1, isWanted: Parameters<typeof findRow>[2]): Promise<void> {
  const row = await findRow(direction, marked.value ?? topEvent.value(), isWanted)
  if (!row) return
  await goTo(row.key)
  noteMarked()
}

function noteMarked(): void {
  if (tab.value === 'transcript') noteEvent(marked.value)
}

function closeSomething(target: EventTarget | null): boolean {
  if (isRailOpen.value) isRailOpen.value = false
  else if (target instanceof HTMLElement && target.matches('#search')) target.blur()
  else if (marked.value !== undefined) {
    marked.value = undefined
    noteMarked()
  } else if (route.value.session !== undefined) go(hrefOf({ screen: 'sessions' }))
  else return false
  return true
}
