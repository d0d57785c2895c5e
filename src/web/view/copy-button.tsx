import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { plain } from '../../platform/plain-text.ts'
import { announce, notifyError } from '../state/page.ts'

const SHOWN_MS = 1_600

interface Props {
  readonly text: string
  readonly label?: string
  /** Where `text` is only the beginning: gets all of it. */
  readonly load?: (() => Promise<string>) | undefined
}

export function CopyButton({ text, label = 'Copy', load }: Props): JSX.Element {
  const [outcome, setOutcome] = useState<string>()
  const press = async (): Promise<void> => {
    try {
      await copy(plain(load ? await load() : text), setOutcome)
    } catch (error) {
      notifyError(`Could not copy: ${(error as Error).message}`)
    }
  }
  return (
    <button type="button" class="copy" onClick={press}>
      {outcome ?? label}
    </button>
  )
}

/** For the buttons of code blocks, which are part of rendered HTML: copies the code of that block. */
export function copyCodeOf(target: EventTarget | null): void {
  const button = target instanceof Element ? target.closest('.code-head .copy') : null
  const code = button?.closest('.code')?.querySelector('code')
  if (button && code) void copy(code.textContent ?? '', (outcome = 'Copy') => (button.textContent = outcome))
}

/** `show` gets the outcome, and undefined when it has been shown long enough. */
async function copy(text: string, show: (outcome: string | undefined) => void): Promise<void> {
  const outcome = (await copyText(text)) ? 'Copied' : 'Could not copy'
  show(outcome)
  announce(outcome)
  setTimeout(() => show(undefined), SHOWN_MS)
}

/** Browsers offer their clipboard only to secure origins; others need the old way. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'unseen'
  const focused = document.activeElement
  document.body.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isCopied
}
