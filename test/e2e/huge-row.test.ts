// @module-tag deep
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDatabase } from '../../src/platform/sqlite.ts'
import { claudeLines, writeClaude } from './claude-session.ts'
import { listed, type Machine, machine, runIon } from './run-ion.ts'

const MB = 1_000_000
/** What one row, or one line, of the store has. */
const ROW = 700 * MB
/** What Ion may use for it. */
const PEAK_MB = 300

const hook = new URL('../../bench/usage-hook.cjs', import.meta.url).pathname
const text = `replace(hex(zeroblob(${ROW / 2})), '00', 'ab')`

function change(path: string, sql: string): void {
  const database = openDatabase(path)
  database.exec(sql)
  database.close()
}

const stores: Record<string, () => Machine> = {
  'a line of a file': () => {
    const where = machine()
    const id = '3f2a9c1d-8e7b-4a5f-8c3d-2e1f0a9b8c7d'
    const session = { id, cwd: join(where.home, 'shop'), prompt: 'Task' }
    const [first, ...rest] = claudeLines(session)
    const fd = openSync(writeClaude(where, session), 'w')
    try {
      writeSync(fd, `${first}\n{"type":"user","text":"`)
      const piece = Buffer.alloc(MB, 'ab ')
      for (let size = 0; size < ROW; size += MB) writeSync(fd, piece)
      writeSync(fd, `"}\n${rest.join('\n')}\n`)
    } finally {
      closeSync(fd)
    }
    return where
  },
  'a message in a row': () => {
    const where = machine('goose/fixtures/handmade-schema-13')
    change(
      join(where.home, '.local/share/goose/sessions/sessions.db'),
      `UPDATE messages SET content_json = '[{"type":"text","text":"' || ${text} || '"}]' WHERE id = 2`,
    )
    return where
  },
  'a part in a row': () => {
    const where = machine('opencode/fixtures/1.18.33')
    change(
      join(where.home, '.local/share/opencode/opencode.db'),
      `UPDATE part SET data = '{"type":"text","text":"' || ${text} || '"}' WHERE id = (SELECT max(id) FROM part)`,
    )
    return where
  },
  'a conversation in a row': () => {
    const where = machine('amazon-q/fixtures/handmade-1.19.7')
    change(
      join(where.home, '.local/share/amazon-q/data.sqlite3'),
      `UPDATE conversations SET value = json_set(value, '$.next_message', ${text}) WHERE key LIKE '%/shop'`,
    )
    return where
  },
}

test.each(Object.entries(stores))('%s of 700 MB costs at most 300 MB', { timeout: 900_000 }, async (_name, build) => {
  const where = build()
  const usage = join(where.root, 'usage.json')
  const peaks: Record<string, number> = {}
  const ion = async (...args: string[]): Promise<void> => {
    writeFileSync(usage, '')
    await runIon(where, args, { env: { NODE_OPTIONS: `-r ${hook}`, ION_BENCH_USAGE: usage } })
    peaks[args[0]!] = (JSON.parse(readFileSync(usage, 'utf8')) as { peakKb: number }).peakKb / 1000
  }
  await ion('reindex')
  const sessions = (await listed(where)) as unknown as { id: string; bytes: number }[]
  const { id } = sessions.toSorted((a, b) => b.bytes - a.bytes)[0]!
  await ion('sessions', '--all')
  await ion('search', 'abab')
  await ion('show', id)
  await ion('export', id, '--format', 'jsonl')
  await ion('capture', id)
  await ion('snapshot', 'create', join(where.root, 'all.tar.gz'))
  expect(Object.entries(peaks).filter(([, mb]) => !(mb <= PEAK_MB))).toEqual([])
})
