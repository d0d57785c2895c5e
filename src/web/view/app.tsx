import { effect } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { isWorking, title, waitingFor } from '../state/agent.ts'
import { interruptAgent, isSending } from '../state/outbox.ts'
import { announcement, notifyError, overlay } from '../state/page.ts'
import { answer } from '../state/question.ts'
import { isSearching } from '../state/search.ts'
import { lazy } from '../text/lazy.ts'
import { Composer } from './composer.tsx'
import { Conversation } from './conversation.tsx'
import { Header } from './header.tsx'
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

export function App(): JSX.Element {
  useEffect(() => {
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
  useEffect(
    () =>
      effect(() => {
        document.title = `${waitingFor.value ? '● ' : ''}${title.value} · Ion`
      }),
    [],
  )
  return (
    <>
      <button type="button" class="skip" onClick={focusComposer}>
        Skip to the message field
      </button>
      <Header />
      {isSearching.value && <SearchBar />}
      <main>
        <div class="conversation" inert={overlay.value === 'terminal'}>
          <Conversation />
        </div>
        <Panel />
      </main>
      <footer>
        <StatusLine />
        <Question />
        <Composer />
      </footer>
      <div class="unseen" role="status" aria-live="polite">
        {announcement}
      </div>
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

function focusComposer(): void {
  document.querySelector<HTMLElement>('.composer textarea')?.focus()
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]')) return
  const isTyping = event.target instanceof Element && event.target.closest('textarea, input, [role=textbox]') !== null
  const command = event.ctrlKey || event.metaKey
  if (event.key === 'Escape') {
    if (overlay.value === 'terminal') overlay.value = undefined
    else if (isWorking.value || isSending.value) interruptAgent()
    else return
  } else if (command && event.key === 'f') {
    // The second time, the browser's own search opens.
    if (isSearching.value && event.target instanceof HTMLInputElement) return
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
  isSearching.value = true
  document.querySelector<HTMLElement>('.search-bar input')?.focus()
}
