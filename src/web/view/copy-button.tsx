import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { plain } from '../../platform/plain-text.ts'
import { announce } from '../state/announce.ts'
import { copyText } from '../text/clipboard.ts'

const SHOWN_MS = 1_600

export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }): JSX.Element {
  const [said, say] = useState<string>()
  const copy = async (): Promise<void> => {
    const word = (await copyText(plain(text))) ? 'Copied' : 'Could not copy'
    say(word)
    announce(word)
    setTimeout(() => say(undefined), SHOWN_MS)
  }
  return (
    <button type="button" class="copy" onClick={copy}>
      {said ?? label}
    </button>
  )
}

/** For the buttons of code blocks, which are part of rendered HTML: copies the code of that block. */
export async function copyCodeOf(target: EventTarget | null): Promise<void> {
  const button = target instanceof Element ? target.closest('.code-head .copy') : null
  const code = button?.closest('.code')?.querySelector('code')
  if (!button || !code) return
  const word = (await copyText(code.textContent ?? '')) ? 'Copied' : 'Could not copy'
  button.textContent = word
  announce(word)
  setTimeout(() => (button.textContent = 'Copy'), SHOWN_MS)
}
