import { chmodSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchIo } from '../../test/support/scratch.ts'
import { withoutRoot } from '../../test/support/unprivileged.ts'
import { stampOf } from '../native/walk.ts'
import { measure } from './measure.ts'

function put(path: string, size: number): string {
  writeFileSync(path, 'x'.repeat(size))
  return path
}

test('files of all folders below, and nothing for a place that is not there', () => {
  const io = scratchIo()
  mkdirSync(join(io.home, 'a/b/c'), { recursive: true })
  put(join(io.home, 'a/one'), 10)
  put(join(io.home, 'a/b/c/two'), 200)
  const found = measure([join(io.home, 'a'), join(io.home, 'gone')], [], io)
  expect(found).toEqual({ bytes: 210, files: 2, unreadable: 0, complete: true })
})

test('each inode once: hard links, places inside each other, and files given besides', () => {
  const io = scratchIo()
  mkdirSync(join(io.home, 'a/b'), { recursive: true })
  const one = put(join(io.home, 'a/b/one'), 10)
  linkSync(one, join(io.home, 'a/again'))
  const elsewhere = put(join(io.home, 'elsewhere'), 5)
  const found = measure([join(io.home, 'a/b'), join(io.home, 'a')], [stampOf(one)!, stampOf(elsewhere)!], io)
  expect(found).toEqual({ bytes: 15, files: 2, unreadable: 0, complete: true })
})

test('links are not followed, but a place may be one', () => {
  const io = scratchIo()
  mkdirSync(join(io.home, 'real'))
  put(join(io.home, 'real/one'), 10)
  put(join(io.home, 'outside'), 1000)
  symlinkSync(join(io.home, 'outside'), join(io.home, 'real/to-outside'))
  symlinkSync(join(io.home, 'real'), join(io.home, 'real/loop'))
  symlinkSync(join(io.home, 'real'), join(io.home, 'place'))
  expect(measure([join(io.home, 'place')], [], io)).toEqual({ bytes: 10, files: 1, unreadable: 0, complete: true })
})

test('a database is measured with what SQLite keeps beside it', () => {
  const io = scratchIo()
  const database = put(join(io.home, 'data.db'), 100)
  put(`${database}-wal`, 30)
  put(`${database}-shm`, 3)
  put(`${database}.bak`, 5000)
  expect(measure([database], [], io)).toEqual({ bytes: 133, files: 3, unreadable: 0, complete: true })
})

test('an unreadable folder is counted as such', () => {
  const io = scratchIo()
  mkdirSync(join(io.home, 'a/secret'), { recursive: true })
  put(join(io.home, 'a/one'), 10)
  chmodSync(join(io.home, 'a/secret'), 0)
  chmodSync(dirname(io.home), 0o755)
  const found = withoutRoot(() => measure([join(io.home, 'a')], [], io))
  chmodSync(join(io.home, 'a/secret'), 0o700)
  expect(found).toEqual({ bytes: 10, files: 1, unreadable: 1, complete: true })
})

test('when it takes too long it stops and says so', () => {
  const io = scratchIo()
  mkdirSync(join(io.home, 'a'))
  for (let i = 0; i < 20; i++) put(join(io.home, `a/${i}`), 1)
  let seconds = 0
  const slow = { ...io, now: () => new Date(seconds++ * 1000) }
  const heard: number[] = []
  const found = measure([join(io.home, 'a')], [], slow, (files) => heard.push(files))
  // The limit is five seconds, and each look at a file takes one.
  expect([found, heard]).toEqual([{ bytes: 5, files: 5, unreadable: 0, complete: false }, [1, 2, 3, 4, 5]])
})
