import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { overlay } from '../state/overlay.ts'
import { Icon } from './icons.tsx'

/** The native dialog: it traps the focus, closes on Escape and restores the focus. */
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
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click outside closes it; the key is Escape
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
