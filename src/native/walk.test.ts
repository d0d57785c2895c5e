import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder, scratchIo } from '../../test/support/scratch.ts'
import { withoutRoot } from '../../test/support/unprivileged.ts'
import { type ReadContext, readContext } from './read-context.ts'
import { filesIn, stampOf, subfolders } from './walk.ts'

function noted(): { reading: ReadContext; folders: Map<string, number> } {
  const folders = new Map<string, number>()
  return { reading: readContext(scratchIo(), { onFolder: (path, time) => folders.set(path, time) }), folders }
}

test('files that match, sorted, also links; anything else is a problem', () => {
  const folder = scratchFolder()
  for (const name of ['b.jsonl', 'a.jsonl', 'other.txt']) writeFileSync(join(folder, name), name)
  mkdirSync(join(folder, 'folder.jsonl'))
  symlinkSync(join(folder, 'a.jsonl'), join(folder, 'link.jsonl'))
  symlinkSync(join(folder, 'gone'), join(folder, 'dangling.jsonl'))
  symlinkSync(join(folder, 'loop.jsonl'), join(folder, 'loop.jsonl'))
  execFileSync('mkfifo', [join(folder, 'pipe.jsonl')])
  const { reading, folders } = noted()
  expect([...filesIn(folder, /\.jsonl$/, reading)]).toEqual([
    'a.jsonl',
    'b.jsonl',
    { code: 'not_regular_file', problem: 'a folder where a file should be', path: join(folder, 'folder.jsonl') },
    'link.jsonl',
    { code: 'not_regular_file', problem: 'not a regular file', path: join(folder, 'pipe.jsonl') },
  ])
  expect(folders).toEqual(
    new Map([
      [folder, statSync(folder).mtimeMs],
      [join(folder, 'dangling.jsonl'), 0],
      [join(folder, 'loop.jsonl'), 0],
    ]),
  )
})

test('sub-folders, also links to folders', () => {
  const folder = scratchFolder()
  for (const name of ['b', 'a']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'file'), '')
  symlinkSync(join(folder, 'b'), join(folder, 'link'))
  symlinkSync(join(folder, 'file'), join(folder, 'link-to-file'))
  expect([...subfolders(folder, noted().reading)]).toEqual(['a', 'b', 'link'])
})

test('a missing folder is empty and reported, so that its creation is noticed', () => {
  const missing = join(scratchFolder(), 'none')
  const { reading, folders } = noted()
  expect([...filesIn(missing, /./, reading)]).toEqual([])
  expect(folders).toEqual(new Map([[missing, 0]]))
})

test('a file in place of a folder is empty', () => {
  const file = join(scratchFolder(), 'file')
  writeFileSync(file, '')
  expect([...filesIn(join(file, 'below'), /./, noted().reading)]).toEqual([])
  expect([...filesIn(file, /./, noted().reading)]).toEqual([])
})

test('an unreadable folder is a problem', () => {
  const folder = scratchFolder()
  chmodSync(folder, 0)
  expect(withoutRoot(() => [...filesIn(folder, /./, noted().reading)])).toEqual([
    {
      code: 'cannot_read',
      errno: 'EACCES',
      problem: expect.stringMatching(/^cannot read the folder: EACCES/),
      path: folder,
    },
  ])
  chmodSync(folder, 0o700)
})

test('a stamp distinguishes states of a file', () => {
  const path = join(scratchFolder(), 'file')
  expect(stampOf(path)).toBeUndefined()
  writeFileSync(path, 'abc')
  const { dev, ino, mtimeMs } = statSync(path)
  expect(stampOf(path)).toEqual({ path, dev, ino, size: 3, mtimeMs })
})
