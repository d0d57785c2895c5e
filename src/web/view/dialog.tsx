import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Tool } from './icons.tsx'
import '../style/panels.css'

interface DialogProps {
  readonly title: string
  readonly class?: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** The native dialog: it traps the focus and closes on Escape. */
export function Dialog({ title, class: name, onClose, children }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null)
  const isShown = useRef(true)
  // At once: what is typed next is meant for it.
  useLayoutEffect(() => {
    const element = dialog.current
    const opener = document.activeElement
    element?.showModal()
    return () => {
      // Closing is reported later, when another dialog may be open.
      isShown.current = false
      element?.close()
      // A dialog that is removed from the page does not restore the focus.
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click outside closes it; the key is Escape
    <dialog
      ref={dialog}
      class={name}
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClose={() => isShown.current && onClose()}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div class="dialog">
        <div class="dialog-head">
          <h2 id="dialog-title">{title}</h2>
          <Tool icon="close" label="Close" onClick={onClose} />
        </div>
        {children}
      </div>
    </dialog>
  )
}

/** A link that saves a text which the page already has. */
export function Download({ text }: { readonly text: string }): JSX.Element {
  const [url, setUrl] = useState('')
  useEffect(() => {
    const blobUrl = URL.createObjectURL(new Blob([text], { type: 'text/markdown' }))
    setUrl(blobUrl)
    return () => URL.revokeObjectURL(blobUrl)
  }, [text])
  return (
    <a class="button" href={url} download="session.md">
      Download
    </a>
  )
}

/** The documents that a session can be exported to. */
export const exportFormats = [
  { format: 'md', name: 'Markdown', purpose: 'for reading and for tickets' },
  { format: 'html', name: 'HTML', purpose: 'one file that needs nothing else' },
  { format: 'jsonl', name: 'JSON Lines', purpose: 'every event, for programs' },
  { format: 'json', name: 'JSON', purpose: 'the same as one object' },
]
