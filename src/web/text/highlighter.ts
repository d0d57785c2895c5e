import hljs from 'highlight.js/lib/core'
import { languageName, loadLanguage } from './languages.ts'

/** This file, which the page fetches with the first code it shows. */
export type Highlighter = typeof import('./highlighter.ts')

const asked = new Set<string>()

/** The code with colours; nothing when its language is unknown or still on its way: then `onArrival` is called. */
export function highlighted(code: string, language: string, onArrival: () => void): string | undefined {
  const name = languageName(language)
  if (!name) return undefined
  if (hljs.getLanguage(name)) return hljs.highlight(code, { language: name, ignoreIllegals: true }).value
  if (!asked.has(name)) fetchLanguage(name).then(onArrival, () => asked.delete(name))
  return undefined
}

async function fetchLanguage(name: string): Promise<void> {
  asked.add(name)
  hljs.registerLanguage(name, await loadLanguage(name))
}
