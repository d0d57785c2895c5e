import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from 'hono'

/** The addresses of the page: it shows what belongs to each. */
const PAGES = /^\/(?:$|(?:search|files|usage|agents)\/?$|s\/[^/]+\/?$)/

export function isBrowsePage(path: string): boolean {
  return PAGES.test(path)
}

export function isPageFile(path: string): boolean {
  return path.startsWith('/assets/')
}

const NO_PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Ion</title>
<h1>No page</h1><p>This build of Ion has no page. In a terminal: ion</p></html>
`

/**
 * The page as the chat of `ion serve` has it, with addresses of its files that work below any path, and a mark that makes it show all
 * sessions instead of one chat.
 */
export function browsePage(context: Context, folder: string, headers: Record<string, string>): Response {
  let html: string
  try {
    html = readFileSync(join(folder, 'index.html'), 'utf8')
  } catch {
    return context.html(NO_PAGE, 200, headers)
  }
  const page = html.replaceAll('"./assets/', '"/assets/').replace('<html ', '<html data-app="browse" ')
  return context.html(page, 200, { ...headers, 'cache-control': 'no-cache' })
}
