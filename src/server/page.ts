import { realpathSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import type { Context } from 'hono'

/** Of the files that the page is built to. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The page may load and contact nothing but this server. */
export function pageHeaders(allowedOrigins: readonly string[]): Record<string, string> {
  const ancestors = allowedOrigins.includes('*') ? '*' : allowedOrigins.join(' ') || "'none'"
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${ancestors}`,
  ]
  return {
    'content-security-policy': policy.join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  }
}

/** The base paths of the page: agentapi's, since a proxy may strip its own prefix, and the one that the user chose. */
export function pagePaths(chatBasePath: string): string[] {
  return [...new Set(['/chat', chatBasePath])]
}

/** Whether the path is the page, one of its files, or leads to it. */
export function isPagePath(path: string, chatBasePath: string): boolean {
  if (path === '/' || path === '/chat') return true
  return pagePaths(chatBasePath).some((base) => /^\/(?:embed\/?$|assets\/)/.test(afterBase(path, base)))
}

function afterBase(path: string, base: string): string {
  return path.startsWith(base) ? path.slice(base.length) : ''
}

/** For a package that was built without the page. */
const NO_PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Ion</title>
<h1>No chat page</h1><p>This build of Ion has no chat page. The API works: see <a href="../docs">the documentation</a>.</p></html>
`

/** A file of the page. `path` is relative to the base path; `/embed` is the page itself. */
export async function pageFile(
  context: Context,
  folder: string,
  path: string,
  headers: Record<string, string>,
): Promise<Response> {
  const name = path === '' || path === '/' || path === '/embed' ? '/index.html' : path
  const file = fileBelow(folder, name)
  if (!file) {
    if (name === '/index.html') return context.html(NO_PAGE, 200, headers)
    return context.text('404 page not found\n', 404, { 'x-content-type-options': 'nosniff' })
  }
  const type = TYPES[extname(file)] ?? 'application/octet-stream'
  // Only a file whose name has a hash of its content never changes.
  const isImmutable = /-[\w-]{8,}\.\w+$/.test(file)
  const cache = isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache'
  return context.body(await readFile(file), 200, { ...headers, 'content-type': type, 'cache-control': cache })
}

/** The real path of a regular file in the folder; undefined for anything that links or dots lead outside it. */
function fileBelow(folder: string, name: string): string | undefined {
  try {
    const decoded = decodeURIComponent(name)
    if (decoded.includes('\0') || decoded.split(/[\\/]/).some((part) => part.startsWith('.'))) return undefined
    const root = realpathSync(folder)
    const file = realpathSync(join(root, decoded))
    return file.startsWith(root + sep) && statSync(file).isFile() ? file : undefined
  } catch {
    return undefined
  }
}
