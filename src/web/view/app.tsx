import { effect } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { title, waitingFor } from '../state/agent.ts'
import { announcement } from '../state/page.ts'
import { ChatView, onChatKey } from './chat-view.tsx'
import { Header } from './header.tsx'

/** The chat as a page of its own: `ion serve`. */
export function App(): JSX.Element {
  useEffect(() => {
    addEventListener('keydown', onChatKey)
    return () => removeEventListener('keydown', onChatKey)
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
      <main class="chat">
        <ChatView hasNotices />
      </main>
      <div class="unseen" role="status" aria-live="polite">
        {announcement}
      </div>
    </>
  )
}

function focusComposer(): void {
  document.querySelector<HTMLElement>('.composer textarea')?.focus()
}
