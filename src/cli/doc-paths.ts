import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Replaces `docs/prune.md` by its path in the installed package, as its users have no checkout. */
export function withDocPaths(text: string): string {
  return text.replace(/\bdocs\/[\w-]+\.md\b/g, (doc) => pathOf(doc) ?? doc)
}

function pathOf(doc: string): string | undefined {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const path = join(folder, doc)
    if (existsSync(path)) return path
    if (dirname(folder) === folder) return undefined
  }
}
