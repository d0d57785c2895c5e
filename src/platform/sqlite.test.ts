import { execFileSync } from 'node:child_process'
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder } from '../../test/support/scratch.ts'
import { type Database, isDamaged, isDiskTrouble, isLocked, isSqliteError, openDatabase } from './sqlite.ts'

function made(path: string): Database {
  const database = openDatabase(path)
  database.exec(`CREATE TABLE word(text);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) INSERT INTO word SELECT i FROM n`)
  return database
}

function kindsOf(act: () => unknown): Record<string, boolean> {
  try {
    act()
  } catch (error) {
    return Object.fromEntries(
      Object.entries({ isSqliteError, isLocked, isDamaged, isDiskTrouble }).flatMap(([name, is]) =>
        is(error) ? [[name, true]] : [],
      ),
    )
  }
  throw new Error('no error')
}

const all = (path: string): unknown[] => openDatabase(path).prepare('SELECT sum(text) FROM word').all()

test('a mistake in a query is neither damage nor trouble with the disk', () => {
  const database = made(join(scratchFolder(), 'a.db'))
  for (const sql of ['SELECT absent FROM word', 'SELECT * FROM absent', 'CREATE TABLE word(text)', 'SELEKT']) {
    expect(kindsOf(() => database.exec(sql))).toEqual({ isSqliteError: true })
    expect(kindsOf(() => database.prepare(sql).all())).toEqual({ isSqliteError: true })
  }
})

test('a lock of another connection, in a statement or while reading rows', () => {
  const path = join(scratchFolder(), 'a.db')
  const other = made(path)
  const database = openDatabase(path)
  const select = database.prepare('SELECT * FROM word')
  other.exec('BEGIN EXCLUSIVE')
  const locked = { isSqliteError: true, isLocked: true }
  expect(kindsOf(() => database.exec('DELETE FROM word'))).toEqual(locked)
  expect(kindsOf(() => select.all())).toEqual(locked)
  expect(kindsOf(() => select.get())).toEqual(locked)
})

test('a file that is not a database, was overwritten or truncated is damaged', () => {
  const folder = scratchFolder()
  const good = join(folder, 'good.db')
  made(good).close()
  const damaged = { isSqliteError: true, isDamaged: true }

  writeFileSync(join(folder, 'text.db'), 'this is a text '.repeat(500))
  expect(kindsOf(() => all(join(folder, 'text.db')))).toEqual(damaged)

  const bytes = readFileSync(good)
  bytes.fill(0xff, 4096)
  writeFileSync(join(folder, 'overwritten.db'), bytes)
  expect(kindsOf(() => all(join(folder, 'overwritten.db')))).toEqual(damaged)

  truncateSync(good, bytes.length - 5000)
  expect(kindsOf(() => all(good))).toEqual(damaged)
})

test('a file that cannot be opened or written is trouble with the disk', () => {
  const folder = scratchFolder()
  const trouble = { isSqliteError: true, isDiskTrouble: true }
  expect(kindsOf(() => openDatabase(join(folder, 'absent', 'a.db')))).toEqual(trouble)
  const path = join(folder, 'a.db')
  made(path).close()
  expect(kindsOf(() => openDatabase(path, { readOnly: true }).exec('DELETE FROM word'))).toEqual(trouble)
})

test('a statement keeps its database alive', () => {
  // In another process, since the failure is a crash.
  const script = `
    import { openDatabase } from '${new URL('./sqlite.ts', import.meta.url)}'
    const statements = Array.from({ length: 200 }, (_, n) => openDatabase(':memory:').prepare('SELECT ' + n + ' AS n'))
    for (let turn = 0; turn < 5; turn++) {
      gc()
      await new Promise((resolve) => setImmediate(resolve))
    }
    console.log(statements.reduce((sum, statement) => sum + statement.get().n, 0))`
  const args = ['--expose-gc', '--no-warnings', '--import', 'tsx', '--input-type=module', '-e', script]
  expect(execFileSync(process.execPath, args, { encoding: 'utf8' }).trim()).toBe('19900')
})
