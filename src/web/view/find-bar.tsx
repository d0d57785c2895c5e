import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Tool } from './icons.tsx'

const DEBOUNCE_MS = 200

interface Props {
  /** What it does, as the name of its field. */
  readonly label: string
  /** What it begins with: what is typed is the field's own until the reader stops. */
  readonly query: string
  /** Such as `2 of 14`. */
  readonly state: string
  readonly stateTitle?: string
  /** The reader has stopped typing. */
  readonly onQuery: (text: string) => void
  /** To the next match downwards (1) or upwards (-1). */
  readonly onStep: (direction: 1 | -1) => void
  readonly onClose: () => void
}

/** The field to find text in the open session. */
export function FindBar({ label, query, state, stateTitle, onQuery, onStep, onClose }: Props): JSX.Element {
  const field = useRef<HTMLInputElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  // At once: what is typed next is meant for it.
  useLayoutEffect(() => {
    field.current?.focus()
    return () => clearTimeout(timer.current)
  }, [])
  const close = (): void => {
    onClose()
    document.querySelector<HTMLElement>('.scroller')?.focus()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') onStep(event.shiftKey ? -1 : 1)
    else if (event.key === 'Escape') close()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <search class="search-bar">
      <input
        ref={field}
        type="search"
        aria-label={label}
        placeholder={label}
        defaultValue={query}
        onInput={(event) => {
          clearTimeout(timer.current)
          const text = event.currentTarget.value.trim()
          timer.current = setTimeout(() => onQuery(text), DEBOUNCE_MS)
        }}
        onKeyDown={onKeyDown}
      />
      <span class="quiet count" title={stateTitle}>
        {state}
      </span>
      <Tool icon="up" label="Previous match" title="Previous (Shift+Enter)" onClick={() => onStep(-1)} />
      <Tool icon="down" label="Next match" title="Next (Enter)" onClick={() => onStep(1)} />
      <Tool icon="close" label="End search" title="End search (Esc)" onClick={close} />
    </search>
  )
}
