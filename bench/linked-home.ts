// A writable home that looks like a corpus: links to its files, and copies of those that will change.
import { copyFileSync, mkdirSync, symlinkSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sessionFiles } from './corpora.ts'

export function makeLinkedHome(corpus: string, home: string, changing: readonly string[]): void {
  const folders = new Set<string>()
  for (const { path, mtimeMs } of sessionFiles(corpus)) {
    const target = join(home, path)
    mkdirSync(dirname(target), { recursive: true })
    folders.add(dirname(target)).add(dirname(dirname(target)))
    if (changing.includes(path)) {
      copyFileSync(join(corpus, path), target)
      utimesSync(target, mtimeMs / 1000, mtimeMs / 1000)
    } else symlinkSync(join(corpus, path), target)
  }
  symlinkSync(join(corpus, '.codex'), join(home, '.codex'))
  // Folders written to just now are checked again each time; in a real home most are old.
  const before = Date.now() / 1000 - 3600
  for (const folder of folders) utimesSync(folder, before, before)
}
