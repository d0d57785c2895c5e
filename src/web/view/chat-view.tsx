import type { JSX } from 'preact'
import { isWorking, waitingFor } from '../state/agent.ts'
import { interruptAgent, isSending } from '../state/outbox.ts'
import { isFinding, notifyError, overlay } from '../state/page.ts'
import { answer } from '../state/question.ts'
import { lazy } from '../text/lazy.ts'
import { Composer } from './composer.tsx'
import { Conversation } from './conversation.tsx'
import { Question } from './question.tsx'
import { SearchBar } from './search-bar.tsx'
import { StatusLine } from './status-line.tsx'

const panels = lazy(
  () => import('./panels.tsx'),
  () => {
    overlay.value = undefined
    notifyError('This part of the page could not be loaded.')
  },
)

/** A running agent: the conversation, what it asks, and the field to write to it. */
export function ChatView({ hasNotices = false }: { readonly hasNotices?: boolean }): JSX.Element {
  return (
    <>
      {isFinding.value && <SearchBar />}
      <div class="talk">
        <div class="conversation" inert={overlay.value === 'terminal'}>
          <Conversation />
        </div>
        <Panel />
      </div>
      <footer>
        <StatusLine hasNotices={hasNotices} />
        <Question />
        <Composer />
      </footer>
      <div class="drop-here" aria-hidden="true">
        Drop files to attach them
      </div>
    </>
  )
}

function Panel(): JSX.Element | null {
  const Opened = overlay.value && panels.use()?.panels[overlay.value]
  return Opened ? <Opened /> : null
}

/** The keys of a chat, wherever in it the focus is. */
export function onChatKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]')) return
  const isTyping = event.target instanceof Element && event.target.closest('textarea, input, [role=textbox]') !== null
  const command = event.ctrlKey || event.metaKey
  if (event.key === 'Escape') {
    if (overlay.value === 'terminal') overlay.value = undefined
    else if (isWorking.value || isSending.value) interruptAgent()
    else return
  } else if (command && event.key === 'f') {
    // The second time, the browser's own search opens.
    if (isFinding.value && event.target instanceof HTMLInputElement) return
    openSearch()
  } else if (command && event.key === '`') overlay.value = overlay.value === 'terminal' ? undefined : 'terminal'
  else if (/^[1-9]$/.test(event.key) && !isTyping && !command && !event.altKey) {
    const choice = waitingFor.value?.choices[Number(event.key) - 1]
    if (!choice) return
    answer(choice.key)
  } else if (event.key === '/' && !isTyping && !command && !event.altKey) openSearch()
  else return
  event.preventDefault()
}

function openSearch(): void {
  isFinding.value = true
  document.querySelector<HTMLElement>('.search-bar input')?.focus()
}
