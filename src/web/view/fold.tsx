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
      <FoldLine isOpen={open} onToggle={() => setOpen([id], !open)}>
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
