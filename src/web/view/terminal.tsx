import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { follow } from '../api/follow.ts'
import { address, sendMessage } from '../api/server.ts'
import { attachCommand, checkToken, hasEnded, needsToken } from '../state/agent.ts'
import { notifyError, overlay } from '../state/page.ts'
import { CopyButton } from './copy-button.tsx'
import { Tool } from './icons.tsx'
import { bytesOfKey, keyButtons } from './terminal-keys.ts'

/** The agent's live screen, for what only it can show: dialogs, menus, logins. */
export function Terminal(): JSX.Element {
  const [screen, setScreen] = useState<string>()
  const [isLost, setLost] = useState(false)
  const view = useRef<HTMLDivElement>(null)
  useEffect(() => {
    view.current?.focus()
    const stream = follow({
      url: () => address('internal/screen'),
      onConnection: ({ state }) => setLost(state === 'lost' || state === 'refused'),
      onEvents: (events) => {
        const data = events.findLast(({ name }) => name === 'screen')?.data
        if (data !== undefined) setScreen((JSON.parse(data) as { readonly screen: string }).screen)
      },
    })
    return stream.close
  }, [])

  const onKeyDown = (event: KeyboardEvent): void => {
    const bytes = bytesOfKey(event)
    if (bytes === undefined) return
    event.preventDefault()
    event.stopPropagation()
    type(bytes)
  }
  const canType = !hasEnded.value && !needsToken.value
  return (
    <section class="terminal" aria-label="Terminal of the agent">
      <div class="terminal-head">
        <span class="quiet wide-only">In your own terminal:</span>
        <code>{attachCommand}</code>
        <CopyButton text={attachCommand.value} />
        <span class="grow" />
        <Tool icon="close" label="Back to the conversation" onClick={() => (overlay.value = undefined)} />
      </div>
      <div
        ref={view}
        class="screen"
        role="textbox"
        aria-multiline="true"
        aria-readonly={!canType}
        aria-label="Screen of the agent"
        tabIndex={0}
        onKeyDown={canType ? onKeyDown : undefined}
      >
        <pre>{screen ?? (isLost ? 'The screen cannot be shown now.' : 'Waiting for the screen…')}</pre>
      </div>
      <div class="keys" role="toolbar" aria-label="Keys for the agent">
        {keyButtons.map(({ label, name, bytes }) => (
          <button
            key={label}
            type="button"
            class="key"
            aria-label={name}
            disabled={!canType}
            onClick={() => type(bytes)}
          >
            {label}
          </button>
        ))}
        <span class="quiet wide-only">What you type on the screen goes to the agent. Esc closes it, Tab moves on.</span>
      </div>
    </section>
  )
}

/** One after the other: two concurrent requests could arrive in the wrong order. */
let queue: Promise<void> = Promise.resolve()

function type(bytes: string): void {
  queue = queue.then(() =>
    sendMessage(bytes, 'raw').catch((error: Error) => {
      checkToken(error)
      notifyError(`The key was not sent: ${error.message}`)
    }),
  )
}
