import type { ComponentChildren, JSX } from 'preact'
import { Icon } from './icons.tsx'
import { isOpen, setOpen } from './open-rows.ts'

interface FoldProps {
  readonly id: string
  /** The summary line. */
  readonly line: ComponentChildren
  /** Rendered only when open. */
  readonly children: () => ComponentChildren
}

export function Fold({ id, line, children }: FoldProps): JSX.Element {
  const open = isOpen(id)
  return (
    <div class={open ? 'fold open' : 'fold'}>
      <button type="button" class="fold-line" aria-expanded={open} onClick={() => setOpen(id, !open)}>
        <Icon name="chevron" />
        {line}
      </button>
      {open && <div class="fold-body">{children()}</div>}
    </div>
  )
}
