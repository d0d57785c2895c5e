import { createHash } from 'node:crypto'
import { escapeForHtml } from './markdown-text.ts'

export interface HtmlHead {
  /** Plain text. */
  readonly title: string
  readonly style: string
  /** What the page needs beside its style: a directive of a content security policy. */
  readonly policy: string
}

/** The beginning of a self-contained page, up to its `<body>`. Only this style sheet and what `policy` names may take effect. */
export function htmlHead({ title, style, policy }: HtmlHead): string {
  const allowed = `default-src 'none'; style-src ${hashSource(style)}; ${policy}; base-uri 'none'; form-action 'none'`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${allowed}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${escapeForHtml(title)}</title>
<style>${style}</style>
</head>
<body>
`
}

/** How a content security policy names one inline style or script. */
export function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
