import type { JSX } from 'preact'
import { codeHtml, markdownToHtml } from '../text/markdown.ts'

/** Markdown of the agent, or of the user, whose line breaks are intended. */
export function Prose({ text, breaks = false }: { readonly text: string; readonly breaks?: boolean }): JSX.Element {
  return <div class="prose" dangerouslySetInnerHTML={{ __html: markdownToHtml(text, { breaks }) }} />
}

export function Code({ text, language }: { readonly text: string; readonly language: string }): JSX.Element {
  return <div dangerouslySetInnerHTML={{ __html: codeHtml(text, language) }} />
}
