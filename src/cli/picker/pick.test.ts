import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { fakeContext } from '../../../test/support/fake-terminal.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { sessionRow } from '../../../test/support/session-rows.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { SessionRow } from '../../catalog/session-row.ts'
import { shortIdsAmong } from '../../catalog/short-id.ts'
import { pick } from './pick.ts'
import type { Keyboard } from './screen.ts'

const rows = [
  sessionRow(),
  sessionRow({ id: '22222222-0000-4000-8000-000000000002', title: 'Write the parser' }),
  sessionRow({ id: '33333333-0000-4000-8000-000000000003', title: 'Tidy up', cwd: '/home/dev/other' }),
]

function catalogOf(answers: Partial<Catalog> = {}): Catalog {
  const nothing = { changed: 0, removed: 0, freshness: { checked: 0, known: 0, fullCheckAt: null } }
  return {
    refresh: () => nothing,
    indexSome: () => 0,
    sessions: () => rows,
    count: () => rows.length,
    totals: () => ({ sessions: rows.length, only_in_archive: 0, sub_agents: 0, hidden: 0 }),
    shortIds: shortIdsAmong,
    redirectNotices: () => () => {},
    search: () => ({ hits: [], searched: 0, sub_agents: 0, hidden: 0, unsearched: [], isCut: false }),
    locate: (row: SessionRow) => {
      throw new Error(`no body of ${row.id}`)
    },
    ...answers,
  } as unknown as Catalog
}

function typing() {
  const input = new PassThrough() as unknown as NodeJS.ReadStream & PassThrough
  const raw: boolean[] = []
  input.setRawMode = (on) => {
    raw.push(on)
    return input
  }
  const keyboard: Keyboard = { input, onResize: () => () => {} }
  return { keyboard, raw, type: (text: string) => void setImmediate(() => input.write(text)) }
}

const settings = { filter: {}, project: null, all: false, enter: 'show' } as const
const screenOf = () => fakeContext(scratchIo(), { isTTY: true, columns: 60, rows: 12 })
const handlers = () => ['SIGINT', 'SIGTERM', 'SIGHUP', 'exit'].map((name) => process.listenerCount(name))

test('typing filters, Enter picks, and the terminal is restored', async () => {
  const before = handlers()
  const context = screenOf()
  const { keyboard, raw, type } = typing()
  const picked = pick(catalogOf(), context, settings, keyboard)
  type('parser')
  type('\r')
  const { outcome } = await picked
  expect(outcome).toEqual({ kind: 'show', row: rows[1] })
  expect([raw, handlers()]).toEqual([[true, false], before])
  expect(context.out.text).toMatch(/^\x1b\[\?1049h.*\x1b\[\?1049l$/s)
})

test('sessions that appear while the picker is open are shown', async () => {
  const fresh = sessionRow({ id: '44444444-0000-4000-8000-000000000004', title: 'Just begun' })
  let known: readonly SessionRow[] = rows
  const context = screenOf()
  const { keyboard, type } = typing()
  const refresh: Catalog['refresh'] = ({ extent, onProgress } = {}) => {
    onProgress?.({ phase: 'reading sessions', done: 1, total: 2 })
    if (extent === 'full') {
      known = [fresh, ...rows]
      type('begun\r')
    }
    return catalogOf().refresh()
  }
  const { outcome } = await pick(catalogOf({ refresh, sessions: () => [...known] }), context, settings, keyboard)
  expect(outcome).toEqual({ kind: 'show', row: fresh })
  expect(context.out.text).toContain('reading sessions: 1 of 2')
})

test('an error while updating the index is shown, and the list stays', async () => {
  const context = screenOf()
  const { keyboard, type } = typing()
  const refresh: Catalog['refresh'] = ({ extent } = {}) => {
    if (extent === 'full') setImmediate(() => type('\x03'))
    throw new Error('the disk is on fire')
  }
  expect((await pick(catalogOf({ refresh }), context, settings, keyboard)).outcome).toEqual({ kind: 'leave' })
  expect(context.out.text).toContain('the disk is on fire')
})

test('a notice of the index is shown below the list, and printed only when the screen is closed', async () => {
  const context = screenOf()
  const { keyboard, type } = typing()
  let notify = (line: string): void => void context.out.write(`printed: ${line}`)
  const redirectNotices: Catalog['redirectNotices'] = (to) => {
    const before = notify
    notify = to
    return before
  }
  const refresh: Catalog['refresh'] = ({ extent } = {}) => {
    if (extent === 'full') setImmediate(() => type('\x03'))
    else notify('the disk is full')
    return { changed: 0, removed: 0, freshness: { checked: 0, known: 0, fullCheckAt: null } }
  }
  await pick(catalogOf({ refresh, redirectNotices }), context, settings, keyboard)
  expect(context.out.text.replace(/\x1b\[(?!\?)[\d;]*\w/g, '')).toMatch(
    /^.*the disk is full.*\x1b\[\?1049lprinted: the disk is full$/s,
  )
  expect(context.out.text.match(/printed/g)).toHaveLength(1)
})

test('an internal error closes the picker and restores the terminal', async () => {
  const context = screenOf()
  const { keyboard, raw } = typing()
  let calls = 0
  const sessions = (): SessionRow[] => {
    if (calls++ > 0) throw new Error('broken')
    return rows
  }
  await expect(pick(catalogOf({ sessions }), context, settings, keyboard)).rejects.toThrow('broken')
  expect(raw).toEqual([true, false])
  expect(context.out.text.endsWith('\x1b[?1049l')).toBe(true)
})

test('only changed lines are redrawn', async () => {
  const context = screenOf()
  const { keyboard, type } = typing()
  const refresh: Catalog['refresh'] = ({ extent } = {}) => {
    if (extent === 'full') type('\x1b[B\x03')
    return catalogOf().refresh()
  }
  await pick(catalogOf({ refresh }), context, settings, keyboard)
  expect(context.out.text.split('Tidy up').length - 1).toBe(1)
})
