/** What a terminal sends for keys that are not characters. */
const special: Readonly<Record<string, string>> = {
  Enter: '\r',
  Backspace: '\x7f',
  Delete: '\x1b[3~',
  ArrowUp: '\x1b[A',
  ArrowDown: '\x1b[B',
  ArrowRight: '\x1b[C',
  ArrowLeft: '\x1b[D',
  Home: '\x1b[H',
  End: '\x1b[F',
  PageUp: '\x1b[5~',
  PageDown: '\x1b[6~',
}

/** For phones, and for the keys that the page itself uses. */
export const keyButtons = [
  { label: '↑', name: 'Up', bytes: '\x1b[A' },
  { label: '↓', name: 'Down', bytes: '\x1b[B' },
  { label: 'Enter', name: 'Enter', bytes: '\r' },
  { label: 'Esc', name: 'Esc', bytes: '\x1b' },
  { label: 'Tab', name: 'Tab', bytes: '\t' },
  { label: '⇧Tab', name: 'Shift Tab', bytes: '\x1b[Z' },
  { label: '1', name: '1', bytes: '1' },
  { label: '2', name: '2', bytes: '2' },
  { label: '3', name: '3', bytes: '3' },
  { label: 'y', name: 'y', bytes: 'y' },
  { label: 'n', name: 'n', bytes: 'n' },
  { label: '^C', name: 'Control C', bytes: '\x03' },
]

type Key = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'altKey' | 'metaKey' | 'isComposing'>

/**
 * What a key types into the agent's terminal; undefined for keys that the page keeps. It keeps Tab and Escape, so that
 * the focus can leave the screen, and the browser's copy, paste, find, reload and new tab.
 */
export function bytesOfKey({ key, ctrlKey, altKey, metaKey, isComposing }: Key): string | undefined {
  if (metaKey || isComposing) return undefined
  if (ctrlKey && !altKey && /^[abdeghijklmnopqsuwxyz]$/i.test(key)) {
    return String.fromCharCode(key.toUpperCase().charCodeAt(0) - 64)
  }
  if (ctrlKey || altKey) return undefined
  return special[key] ?? ([...key].length === 1 ? key : undefined)
}
