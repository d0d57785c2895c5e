import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { overlay } from '../state/overlay.ts'
import { Icon } from './icons.tsx'

/** The browser's own dialog: it keeps the focus inside, closes on Escape and gives the focus back. */
export function Dialog({
  title,
  children,
}: {
  readonly title: string
  readonly children: ComponentChildren
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    dialog.current?.showModal()
    return () => dialog.current?.close()
  }, [])
  const close = (): void => {
    overlay.value = undefined
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click beside it closes it; for keys there is Escape
    <dialog
      ref={dialog}
      aria-labelledby="dialog-title"
      onClose={close}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div class="dialog">
        <div class="dialog-head">
          <h2 id="dialog-title">{title}</h2>
          <button type="button" class="tool" aria-label="Close" onClick={close}>
            <Icon name="close" />
          </button>
        </div>
        {children}
      </div>
    </dialog>
  )
}
