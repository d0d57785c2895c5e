// A home that looks like a corpus and can be written to: links to its files, and a copy of those that will change.
import { copyFileSync, mkdirSync, symlinkSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sessionFiles } from './corpora.mjs'

export function makeLinkedHome(corpus, home, changing) {
  const folders = new Set()
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
  // Folders that have just been written to are looked at again each time; in a real home most are old.
  const before = Date.now() / 1000 - 3600
  for (const folder of folders) utimesSync(folder, before, before)
}
