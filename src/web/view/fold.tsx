import type { ComponentChildren, JSX } from 'preact'
import { Icon } from './icons.tsx'
import { isOpen, setOpen } from './open-rows.ts'

interface FoldProps {
  readonly id: string
  /** Open until the reader closes it. */
  readonly isOpenFirst?: boolean
  /** The summary line. */
  readonly line: ComponentChildren
  /** Rendered only when open. */
  readonly children: () => ComponentChildren
}

export function Fold({ id, isOpenFirst = false, line, children }: FoldProps): JSX.Element {
  // What is remembered is that the reader changed it.
  const open = isOpen(id) !== isOpenFirst
  return (
    <div class={open ? 'fold open' : 'fold'}>
      <FoldLine isOpen={open} onToggle={() => setOpen([id], !isOpen(id))}>
        {line}
      </FoldLine>
      {open && <div class="fold-body">{children()}</div>}
    </div>
  )
}

interface FoldLineProps {
  readonly isOpen: boolean
  readonly onToggle: () => void
  readonly children: ComponentChildren
}

export function FoldLine({ isOpen, onToggle, children }: FoldLineProps): JSX.Element {
  return (
    <button type="button" class="fold-line" aria-expanded={isOpen} onClick={onToggle}>
      <Icon name="chevron" />
      {children}
    </button>
  )
}
