import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { setServer } from '../../api/server.ts'
import { start } from '../../state/live.ts'
import { overlay } from '../../state/page.ts'
import { ChatView, onChatKey } from '../../view/chat-view.tsx'
import { Tool } from '../../view/icons.tsx'
import { startedChat } from '../state/tab.ts'

interface Props {
  readonly task: string
  readonly session: string
}

/** The session of a running task, as its chat. */
export function ChatTab({ task, session }: Props): JSX.Element | null {
  useEffect(() => {
    const { task: before } = startedChat.peek() ?? {}
    if (before !== undefined && before !== task) {
      location.reload()
      return
    }
    startedChat.value = { task, session }
    if (before === task) return
    setServer(`/live/${encodeURIComponent(task)}/`)
    void start()
  }, [task, session])
  useEffect(() => () => void (overlay.value = undefined), [])
  if (startedChat.value?.task !== task) return null
  return (
    // Keys are those of the chat only where the focus is in it.
    // biome-ignore lint/a11y/noStaticElementInteractions: nothing to press itself
    <div class="chat" onKeyDown={onChatKey}>
      <ChatView />
    </div>
  )
}

export function ChatTools(): JSX.Element {
  const isOpen = overlay.value === 'terminal'
  return (
    <Tool
      icon="terminal"
      label="Terminal of the agent"
      class="small"
      isOn={isOpen}
      onClick={() => (overlay.value = isOpen ? undefined : 'terminal')}
    />
  )
}
