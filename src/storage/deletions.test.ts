import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchIo } from '../../test/support/scratch.ts'
import { sessionRow } from '../../test/support/session-rows.ts'
import type { Retention } from '../agents/agent.ts'
import { DAY, deletionsOf, ruleOf } from './deletions.ts'

const byUse: Retention = { days: 30, setting: 'keepDays in settings.json', counts: 'last update' }
const byFile: Retention = { ...byUse, counts: 'file time', danger: 'A full disk deletes everything.' }

test('by last use: the soonest first, overdue ones have no days left, sessions without a time are left out', () => {
  const io = scratchIo()
  const rows = [
    sessionRow({ id: 'fresh', updated_at: '2026-11-16T00:00:00.000Z' }),
    sessionRow({ id: 'unknown', updated_at: null }),
    sessionRow({ id: 'overdue', updated_at: '2026-10-01T00:00:00.000Z' }),
    sessionRow({ id: 'tomorrow', updated_at: '2026-10-17T12:00:00.000Z', archived: true }),
  ]
  const deletions = deletionsOf(byUse, rows, io)
  const common = { kind: 'deletion', agent: rows[0]!.agent, title: rows[0]!.title, project: '/home/dev/shop' }
  expect(deletions).toEqual([
    {
      ...common,
      id: 'overdue',
      bytes: 120_000,
      deleted_after: '2026-10-31T00:00:00.000Z',
      days_left: 0,
      archived: false,
    },
    {
      ...common,
      id: 'tomorrow',
      bytes: 120_000,
      deleted_after: '2026-11-16T12:00:00.000Z',
      days_left: 1,
      archived: true,
    },
    {
      ...common,
      id: 'fresh',
      bytes: 120_000,
      deleted_after: '2026-12-16T00:00:00.000Z',
      days_left: 30,
      archived: false,
    },
  ])
  expect(ruleOf(byUse, deletions)).toEqual({ ...byUse, danger: null, due: 1, due_7d: 2 })
})

test('by the time of the file, whatever the session says of its last use', () => {
  const io = scratchIo()
  const path = join(io.home, 'session.jsonl')
  writeFileSync(path, '')
  utimesSync(path, io.now(), new Date(io.now().getTime() - 28 * DAY))
  const rows = [sessionRow({ id: 'here', path, updated_at: '2020-01-01T00:00:00.000Z' }), sessionRow({ id: 'gone' })]
  const deletions = deletionsOf(byFile, rows, io)
  expect(deletions.map(({ id, days_left }) => [id, days_left])).toEqual([['here', 2]])
  expect(ruleOf(byFile, deletions)).toEqual({ ...byFile, due: 0, due_7d: 1 })
})

test('a rule of a million years deletes nothing', () => {
  expect(deletionsOf({ ...byUse, days: 365e6 }, [sessionRow()], scratchIo())).toEqual([])
})
