import { signal } from '@preact/signals'
import type { Highlighter } from './highlighter.ts'

/** Longer code is left in one colour: it would hold up the page for something that nobody reads in full. */
const LONGEST = 60_000

/** Grows with each language that has arrived; who has shown code without colours reads it, and shows it again. */
export const highlightsReady = signal(0)

let highlighter: Highlighter | undefined
let isFetching = false

/** The code as HTML with colours; nothing when the language is unknown, or is only now being fetched. */
export function highlighted(code: string, language: string): string | undefined {
  if (language === '' || code.length > LONGEST) return undefined
  if (highlighter) return highlighter.highlighted(code, language, arrived)
  if (!isFetching) fetchHighlighter()
  return undefined
}

async function fetchHighlighter(): Promise<void> {
  isFetching = true
  try {
    highlighter = await import('./highlighter.ts')
    arrived()
  } catch {
    // Without colours the code is still readable; the next one asks again.
    isFetching = false
  }
}

function arrived(): void {
  highlightsReady.value++
}
