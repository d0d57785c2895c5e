import { appendFileSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { scratchIo } from '../../test/support/scratch.ts'
import type { Io } from '../platform/io.ts'
import { appendEntry, ledgerFile } from './ledger.ts'
import { type Task, taskOf } from './task.ts'
import { knownTasks, pinnedElsewhere, writeTaskFile } from './tasks.ts'

function taskWithSession(io: Io, name: string, native_id: string): Task {
  const task = taskOf('robot', io.home, name, io)
  appendEntry(task.folder, { type: 'session', run: 'adopted', native_id, files: [], cwd: '/', how: 'adopted' }, io)
  writeTaskFile(task)
  return task
}

test('the sessions of other tasks, without reading unchanged ledgers again', () => {
  const io = scratchIo()
  const own = taskWithSession(io, 'own', 'n1')
  const other = taskWithSession(io, 'other', 'n2')
  const pinned = (): string[] => [...pinnedElsewhere('robot', own.folder, io)]
  const file = ledgerFile(other.folder)
  utimesSync(file, 1_790_000_000, 1_790_000_000)
  expect(pinned()).toEqual(['n2'])
  const content = readFileSync(file, 'utf8')
  // The same size, time and inode: only reading it would show another session.
  writeFileSync(file, content.replace('n2', 'n3'))
  utimesSync(file, 1_790_000_000, 1_790_000_000)
  expect(statSync(file).size).toBe(content.length)
  expect(pinned()).toEqual(['n2'])
  appendFileSync(file, content.replace('n2', 'n4'))
  expect(pinned()).toEqual(['n4'])
  expect([...knownTasks(io)].map(({ task }) => task.name).sort()).toEqual(['other', 'own'])
})
