import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { scratchFolder } from '../../test/support/scratch.ts'
import { openDatabase } from './sqlite.ts'

const moduleUrl = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href)

const rowsIn = (path: string): unknown[] => openDatabase(path).prepare('SELECT text FROM word').all()

/** Each switches a number of new databases to WAL mode, at the same instants as the others. */
const creator = `
  import { openDatabase } from ${moduleUrl('./sqlite.ts')}
  import { enterWalMode } from ${moduleUrl('./wal-mode.ts')}
  const [folder, begin, count] = process.argv.slice(1)
  for (let number = 0; number < Number(count); number++) {
    while (Date.now() < Number(begin) + number * 40);
    const database = openDatabase(folder + '/' + number + '.db')
    database.exec('PRAGMA busy_timeout = 30000')
    enterWalMode(database, 30000)
    database.exec('CREATE TABLE IF NOT EXISTS word(text); INSERT INTO word VALUES (1)')
    database.close()
  }`

test('processes that create the same database at once all get it', async () => {
  const [folder, count] = [scratchFolder(), 20]
  const args = [
    '--import',
    'tsx',
    '--input-type=module',
    '-e',
    creator,
    folder,
    String(Date.now() + 2000),
    String(count),
  ]
  await Promise.all([1, 2, 3].map(() => promisify(execFile)(process.execPath, args)))
  const rows = Array.from({ length: count }, (_, number) => rowsIn(join(folder, `${number}.db`)))
  expect(rows).toEqual(rows.map(() => [{ text: 1 }, { text: 1 }, { text: 1 }]))
})
