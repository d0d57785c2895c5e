import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDatabase } from '../../src/platform/sqlite.ts'
import { filesBelow, scratchFolder } from '../support/scratch.ts'
import { copyScrubbed, replacePaths, scrubText } from './scrub.ts'

const vendor = 'You are a helpful assistant of the vendor, and this is one of its long instructions. '.repeat(3)
const dots = '.'.repeat(vendor.length)

test('long texts become dots of the same length; ids, keys and short texts stay', () => {
  const id = 'a'.repeat(300)
  const line = (text: string): string => JSON.stringify({ type: 'message', id, content: [{ text }], note: 'hello' })
  expect(scrubText(`${line(vendor)}\n${line('SECOND thing')}\n`)).toBe(`${line(dots)}\n${line('SECOND thing')}\n`)
  expect(scrubText(`${JSON.stringify({ system: vendor }, null, 2)}\n`)).toBe(
    `${JSON.stringify({ system: dots }, null, 2)}\n`,
  )
  expect(scrubText(JSON.stringify({ data: JSON.stringify({ prompt: vendor }) }))).toBe(
    JSON.stringify({ data: JSON.stringify({ prompt: dots }) }),
  )
  expect(scrubText(`# title\n${vendor.trim()}\n`)).toBe(`# title\n${dots.slice(0, vendor.trim().length)}\n`)
})

test('paths of this machine are replaced, also where they are written with dashes', () => {
  const text = '{"cwd":"/tmp/ab12/shop","folder":"--tmp-ab12-shop--","program":"/cache/pi-1/bin/pi"}'
  expect(replacePaths(text, '/tmp/ab12', '/cache/pi-1/bin/pi')).toBe(
    '{"cwd":"/home/dev/shop","folder":"--home-dev-shop--","program":"/opt/agent_/bin/pi"}',
  )
})

test('a home is copied without caches and excluded files, databases with their rows cleaned', () => {
  const home = scratchFolder()
  const target = scratchFolder()
  mkdirSync(join(home, '.robot'))
  mkdirSync(join(home, '.cache'))
  writeFileSync(join(home, '.cache', 'x'), 'x')
  writeFileSync(join(home, '.robot', 'settings.json'), '{}')
  writeFileSync(join(home, '.robot', 'oauth-tokens.json'), '{}')
  writeFileSync(join(home, '.robot', 'log.jsonl'), `{"type":"a","text":"${vendor}"}\n{"type":"a"}\n{"torn`)
  const database = openDatabase(join(home, '.robot', 'store.db'))
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE message (id INTEGER, data TEXT)')
  database.prepare('INSERT INTO message VALUES (1, ?)').run(JSON.stringify({ cwd: `${home}/shop`, text: vendor }))
  const { files, skipped } = copyScrubbed({
    home,
    target,
    exclude: [join(home, '.robot', 'settings.json')],
    program: '/cache/robot/bin/robot',
  })
  database.close()
  expect(filesBelow(target).map((file) => file.slice(target.length))).toEqual(['/.robot/log.jsonl', '/.robot/store.db'])
  expect(files.map(({ path, records }) => ({ path, records }))).toEqual([
    { path: '.robot/log.jsonl', records: { a: 2, 'not JSON': 1 } },
    { path: '.robot/store.db', records: {} },
  ])
  expect(skipped.sort()).toEqual(['.robot/oauth-tokens.json', '.robot/store.db-shm', '.robot/store.db-wal'])
  const copy = openDatabase(join(target, '.robot', 'store.db'), { readOnly: true })
  expect(copy.prepare('SELECT * FROM message').all()).toEqual([
    { id: 1, data: JSON.stringify({ cwd: '/home/dev/shop', text: dots }) },
  ])
  copy.close()
  expect(readFileSync(join(target, '.robot', 'store.db'), 'latin1')).not.toContain('helpful assistant')
})
