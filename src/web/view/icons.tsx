import type { JSX } from 'preact'

const paths = {
  chevron: 'M6 4l4 4-4 4',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.5 10.5L14 14',
  terminal: 'M2 3.5h12v9H2zM4.5 6l2 2-2 2M8 10h3',
  share: 'M8 10V2M5 4.5L8 1.5l3 3M3 8v5.5h10V8',
  download: 'M8 2v8M5 7.5l3 3 3-3M3 13.5h10',
  help: 'M8 14.2A6.2 6.2 0 1 0 8 1.8a6.2 6.2 0 0 0 0 12.4zM6.3 6.4a1.7 1.7 0 1 1 2.3 1.6c-.4.2-.6.4-.6.8v.3M8 11.3v.1',
  attach: 'M13 7.5l-5 5a3 3 0 0 1-4.3-4.2l5.4-5.4a2 2 0 0 1 2.8 2.8L6.7 11a1 1 0 0 1-1.4-1.4L9.8 5',
  send: 'M8 13.5v-11M3.5 7L8 2.5 12.5 7',
  stop: 'M4.5 4.5h7v7h-7z',
  up: 'M4 10l4-4 4 4',
  down: 'M4 6l4 4 4-4',
  close: 'M4 4l8 8M12 4l-8 8',
  ion: 'M8 14.2A6.2 6.2 0 1 0 8 1.8a6.2 6.2 0 0 0 0 12.4zM8 10.2A2.2 2.2 0 1 0 8 5.8a2.2 2.2 0 0 0 0 4.4z',
  command: 'M2.5 4.5h11M2.5 8h7M2.5 11.5h9',
  back: 'M10 3.5L5.5 8l4.5 4.5',
  list: 'M6 4h8M6 8h8M6 12h8M2.5 4h.1M2.5 8h.1M2.5 12h.1',
  more: 'M3.5 8h.1M8 8h.1M12.5 8h.1',
  pin: 'M8 2l1.8 3.8 4.2.6-3 2.9.7 4.2L8 11.5l-3.7 2 .7-4.2-3-2.9 4.2-.6z',
  pinned: 'M8 2l1.8 3.8 4.2.6-3 2.9.7 4.2L8 11.5l-3.7 2 .7-4.2-3-2.9 4.2-.6z',
  handover: 'M2 5.5h9M8.5 3l2.5 2.5L8.5 8M14 10.5H5M7.5 8L5 10.5 7.5 13',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  edit: 'M3 13l.6-2.8L10.8 3a1.3 1.3 0 0 1 1.9 0l.3.3a1.3 1.3 0 0 1 0 1.9L5.8 12.4z',
} as const

interface ToolProps {
  readonly icon: keyof typeof paths
  readonly label: string
  /** The tooltip; by default the label. */
  readonly title?: string
  readonly class?: string
  readonly isOn?: boolean
  readonly disabled?: boolean
  readonly onClick: () => void
}

/** A button that is only an icon. */
export function Tool({
  icon,
  label,
  title = label,
  class: extra = '',
  isOn,
  disabled,
  onClick,
}: ToolProps): JSX.Element {
  return (
    <button
      type="button"
      class={`tool ${extra}`}
      title={title}
      aria-label={label}
      aria-pressed={isOn}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  )
}

/** Decorative: beside text or in a labelled button. */
export function Icon({ name }: { readonly name: keyof typeof paths }): JSX.Element {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  )
}
