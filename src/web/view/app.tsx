import { effect } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { isWorking, title, waitingFor } from '../state/agent.ts'
import { announcement } from '../state/announce.ts'
import { overlay } from '../state/overlay.ts'
import { isSearching } from '../state/search.ts'
import { Composer } from './composer.tsx'
import { Conversation } from './conversation.tsx'
import { Header } from './header.tsx'
import { Panel } from './panel.tsx'
import { SearchBar } from './search-bar.tsx'
import { StatusLine } from './status-line.tsx'
import { stopAgent } from './stop-agent.ts'

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
      <button type="button" class="skip" onClick={toComposer}>
        To the message
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

function toComposer(): void {
  document.querySelector<HTMLElement>('.composer textarea')?.focus()
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]')) return
  const writes = event.target instanceof Element && event.target.closest('textarea, input, [role=textbox]') !== null
  const command = event.ctrlKey || event.metaKey
  if (event.key === 'Escape') {
    if (overlay.value === 'terminal') overlay.value = undefined
    else if (isWorking.value) stopAgent()
    else return
  } else if (command && event.key === 'f') {
    // The second time, the browser's own search opens.
    if (isSearching.value && event.target instanceof HTMLInputElement) return
    openSearch()
  } else if (command && event.key === '`') overlay.value = overlay.value === 'terminal' ? undefined : 'terminal'
  else if (event.key === '/' && !writes && !command && !event.altKey) openSearch()
  else return
  event.preventDefault()
}

function openSearch(): void {
  isSearching.value = true
  document.querySelector<HTMLElement>('.search-bar input')?.focus()
}
