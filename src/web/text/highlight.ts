import { signal } from '@preact/signals'
import type { Highlighter } from './highlighter.ts'

/** Longer code is not highlighted: it would block the page for something that nobody reads in full. */
const LONGEST = 60_000

/** Increases with each loaded language; components that show code without colours read it, and render again. */
export const highlightsReady = signal(0)

let highlighter: Highlighter | undefined
let isFetching = false

/** The code as highlighted HTML; undefined if the language is unknown or still being loaded. */
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
    // The code is readable without colours; the next block tries again.
    isFetching = false
  }
}

function arrived(): void {
  highlightsReady.value++
}
