import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { agentName, canQueue, hasEnded, isWorking, needsToken, whyNotSend } from '../state/agent.ts'
import { draft } from '../state/draft.ts'
import { interruptAgent, send } from '../state/outbox.ts'
import { announce, notifyError, overlay } from '../state/page.ts'
import { enqueue, mustQueue, queue, takeQueued } from '../state/queue.ts'
import { meaningOf, suggestions } from '../state/slash-commands.ts'
import { insertedAt, uploadAll } from '../state/uploads.ts'
import { Icon, Tool } from './icons.tsx'
import { Queue } from './queue.tsx'

/** On phones Enter inserts a line break, and the button sends. */
const isTouch = matchMedia('(hover: none) and (pointer: coarse)')

export function Composer(): JSX.Element {
  const field = useRef<HTMLTextAreaElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const [chosen, choose] = useState(0)
  const offered = suggestions(draft.value)
  const why = whyNotSend.value
  const isClosed = hasEnded.value || needsToken.value
  useGrowing(field, draft.value)

  const submit = async (): Promise<void> => {
    const text = draft.value
    const meaning = meaningOf(offered[chosen] ? `/${offered[chosen].name}` : text)
    if ('command' in meaning) {
      draft.value = ''
      overlay.value = meaning.command
      return
    }
    if (meaning.send.trim() === '') return
    if (why && !canQueue.value) return announce(`Cannot send: ${why}`)
    draft.value = ''
    if (mustQueue()) return enqueue(meaning.send)
    try {
      await send(meaning.send)
    } catch (error) {
      // Restore the text, before whatever was typed in the meantime.
      draft.value = [text, draft.value].filter(Boolean).join('\n')
      notifyError(`Not sent: ${(error as Error).message}`)
    }
  }
  const attach = async (files: readonly File[]): Promise<void> => {
    const paths = await uploadAll(files)
    const { selectionStart: start = 0, selectionEnd: end = 0 } = field.current ?? {}
    if (paths.length > 0) draft.value = insertedAt(draft.value, { start, end }, paths)
    field.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const lastQueued = queue.value.at(-1)
    if (event.key === 'ArrowUp' && draft.value === '' && lastQueued) edit(takeQueued(lastQueued.id))
    else if (offered.length > 0 && move) choose((chosen + move + offered.length) % offered.length)
    else if (offered[chosen] && event.key === 'Tab') draft.value = `/${offered[chosen].name}`
    else if (event.key === 'Enter' && !event.shiftKey && !isTouch.matches) submit()
    else return
    event.preventDefault()
  }
  const onPaste = (event: ClipboardEvent): void => {
    const files = [...(event.clipboardData?.files ?? [])]
    if (files.length === 0) return
    event.preventDefault()
    attach(files)
  }
  /** A queued message is taken back, before whatever is in the field. */
  const edit = (text: string): void => {
    draft.value = [text, draft.value].filter(Boolean).join('\n')
    field.current?.focus()
  }
  useDrop(attach)
  const canSend = (why === undefined || canQueue.value) && draft.value.trim() !== ''
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Queue onEdit={edit} />
      {offered.length > 0 && (
        <div class="offers" id="offers" role="listbox" aria-label="Commands of this page">
          {offered.map(({ name, summary }, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles keys
            <div
              key={name}
              id={`offer-${name}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => {
                draft.value = ''
                overlay.value = name
              }}
            >
              <b>/{name}</b> <span class="quiet">{summary}</span>
            </div>
          ))}
        </div>
      )}
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          attach([...(event.currentTarget.files ?? [])])
          event.currentTarget.value = ''
        }}
      />
      <Tool icon="attach" label="Attach files" disabled={isClosed} onClick={() => picker.current?.click()} />
      <textarea
        ref={field}
        rows={1}
        aria-label={`Message to ${agentName.value}`}
        aria-describedby="why-not"
        aria-controls={offered.length > 0 ? 'offers' : undefined}
        aria-activedescendant={offered[chosen] && `offer-${offered[chosen].name}`}
        placeholder={isClosed ? why : `Message to ${agentName.value}`}
        disabled={isClosed}
        value={draft.value}
        onInput={(event) => {
          draft.value = event.currentTarget.value
          choose(0)
        }}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      {(!isWorking.value || canSend) && (
        <button
          type="submit"
          class="send"
          aria-label={isWorking.value ? 'Queue' : 'Send'}
          title={isWorking.value ? 'Send when the agent is ready (Enter)' : (why ?? 'Send (Enter)')}
          disabled={!canSend}
        >
          <Icon name="send" />
        </button>
      )}
      {isWorking.value && (
        <button type="button" class="send stop" aria-label="Interrupt" title="Interrupt (Esc)" onClick={interruptAgent}>
          <Icon name="stop" />
        </button>
      )}
      <p id="why-not" class="hint quiet">
        {hint(why)}
      </p>
    </form>
  )
}

function hint(why: string | undefined): string {
  if (why === undefined) return 'Enter sends, Shift+Enter inserts a new line, / shows commands'
  // The line above says so, with a button.
  if (hasEnded.value) return ''
  if (canQueue.value) return `Enter queues your message until ${agentName.value} is ready`
  return `${why}. Messages cannot be sent now.`
}

/** As high as the text, up to the limit of the style sheet. */
function useGrowing(field: { readonly current: HTMLTextAreaElement | null }, text: string): void {
  useLayoutEffect(() => {
    const area = field.current
    if (!area) return
    area.style.height = 'auto'
    area.style.height = `${area.scrollHeight}px`
  }, [text])
}

/** Files can be dropped anywhere on the page; the class `dragging` on the body highlights the target. */
function useDrop(attach: (files: readonly File[]) => void): void {
  useEffect(() => {
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false
    const onDragOver = (event: DragEvent): void => {
      if (!hasFiles(event)) return
      event.preventDefault()
      document.body.classList.add('dragging')
    }
    const onLeave = (event: DragEvent): void => {
      if (event.relatedTarget === null) document.body.classList.remove('dragging')
    }
    const onDrop = (event: DragEvent): void => {
      document.body.classList.remove('dragging')
      if (!hasFiles(event)) return
      event.preventDefault()
      attach([...(event.dataTransfer?.files ?? [])])
    }
    const closing = new AbortController()
    addEventListener('dragover', onDragOver, { signal: closing.signal })
    addEventListener('dragleave', onLeave, { signal: closing.signal })
    addEventListener('drop', onDrop, { signal: closing.signal })
    return () => closing.abort()
  })
}
