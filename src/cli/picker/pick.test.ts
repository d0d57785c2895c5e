import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { fakeContext } from '../../../test/support/fake-terminal.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { sessionRow } from '../../../test/support/session-rows.ts'
import { until } from '../../../test/support/wait-until.ts'
import type { RefreshOptions, RefreshReport, SteppedCatalog } from '../../catalog/catalog.ts'
import type { SearchHit, SearchSummary } from '../../catalog/search/query.ts'
import type { SessionRow } from '../../catalog/session-row.ts'
import { shortIdsAmong } from '../../catalog/short-id.ts'
import { IonError } from '../../platform/error.ts'
import { type Performed, type PickerSettings, pick } from './pick.ts'
import type { Keyboard } from './screen.ts'
import type { Request } from './state.ts'

const rows = [
  sessionRow(),
  sessionRow({ id: '22222222-0000-4000-8000-000000000002', title: 'Write the parser' }),
  sessionRow({ id: '33333333-0000-4000-8000-000000000003', title: 'Tidy up', cwd: '/home/dev/other' }),
]

const unchanged: RefreshReport = { changed: 0, removed: 0, freshness: { checked: 0, known: 0, fullCheckAt: null } }
const summary: SearchSummary = { searched: 0, sub_agents: 0, hidden: 0, unsearched: [], isCut: false }

interface Answers extends Partial<SteppedCatalog> {
  /** What refreshing does. */
  readonly onRefresh?: (options: RefreshOptions) => RefreshReport
}

function catalogOf({ onRefresh = () => unchanged, ...answers }: Answers = {}): SteppedCatalog {
  const sessions = answers.sessions ?? (() => rows)
  return {
    // biome-ignore lint/correctness/useYield: it has no steps
    *refreshSteps(options: RefreshOptions = {}) {
      return onRefresh(options)
    },
    *eachSession() {
      yield* sessions()
    },
    // biome-ignore lint/correctness/useYield: it has no steps
    *searchSteps() {
      return summary
    },
    sessions,
    totals: () => ({ sessions: rows.length, only_in_archive: 0, sub_agents: 0, hidden: 0 }),
    shortIds: shortIdsAmong,
    redirectNotices: () => () => {},
    locate: (row: SessionRow) => {
      throw new Error(`no body of ${row.id}`)
    },
    ...answers,
  } as unknown as SteppedCatalog
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

const perform = async (): Promise<Performed> => ({})
const settings: PickerSettings = { filter: {}, project: null, all: false, enter: 'show', perform }
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

test('what is refused stays in its input line, to be corrected', async () => {
  const context = screenOf()
  const { keyboard, type } = typing()
  const wanted: Request[] = []
  const refusing = async (request: Request): Promise<Performed> => {
    wanted.push(request)
    if (wanted.length === 1) {
      setTimeout(() => ['er', '\r'].forEach(type))
      throw new Error('"bett" is not good enough')
    }
    setTimeout(() => type('\x03'))
    return { notice: 'saved' }
  }
  const picked = pick(catalogOf(), context, { ...settings, perform: refusing }, keyboard)
  for (const keys of ['\x14', 't', 'bett', '\r']) type(keys)
  await picked
  expect(wanted.map((request) => 'change' in request && request.change)).toEqual([
    { addTags: ['bett'], removeTags: [] },
    { addTags: ['better'], removeTags: [] },
  ])
  expect(context.out.text).toContain('is not good enough')
})

test('sessions that appear while the picker is open are shown', async () => {
  const fresh = sessionRow({ id: '44444444-0000-4000-8000-000000000004', title: 'Just begun' })
  let known: readonly SessionRow[] = rows
  const context = screenOf()
  const { keyboard, type } = typing()
  const onRefresh = ({ extent, onProgress }: RefreshOptions): RefreshReport => {
    onProgress?.({ phase: 'reading sessions', done: 1, total: 2 })
    if (extent === 'full') known = [fresh, ...rows]
    return { ...unchanged, changed: extent === 'full' ? 1 : 0 }
  }
  const picked = pick(catalogOf({ onRefresh, sessions: () => [...known] }), context, settings, keyboard)
  // Typed any earlier, Enter may find nothing to pick.
  await until(() => expect(context.out.text).toContain('Just begun'))
  type('begun\r')
  const { outcome } = await picked
  expect(outcome).toEqual({ kind: 'show', row: fresh })
  expect(context.out.text).toContain('reading sessions: 1 of 2')
})

test('an error while updating the index is shown, and the list stays', async () => {
  const context = screenOf()
  const { keyboard, type } = typing()
  const onRefresh = ({ extent }: RefreshOptions): RefreshReport => {
    if (extent === 'full') setImmediate(() => type('\x03'))
    throw new Error('the disk is on fire')
  }
  expect((await pick(catalogOf({ onRefresh }), context, settings, keyboard)).outcome).toEqual({ kind: 'leave' })
  expect(context.out.text).toContain('the disk is on fire')
})

test('a notice of the index is shown below the list, and printed only when the screen is closed', async () => {
  const context = screenOf()
  const { keyboard, type } = typing()
  let notify = (line: string): void => void context.out.write(`printed: ${line}`)
  const redirectNotices: SteppedCatalog['redirectNotices'] = (to) => {
    const before = notify
    notify = to
    return before
  }
  const onRefresh = ({ extent }: RefreshOptions): RefreshReport => {
    if (extent === 'full') setImmediate(() => type('\x03'))
    else notify('the disk is full')
    return unchanged
  }
  await pick(catalogOf({ onRefresh, redirectNotices }), context, settings, keyboard)
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
  const onRefresh = ({ extent }: RefreshOptions): RefreshReport => {
    if (extent === 'full') type('\x1b[B\x03')
    return unchanged
  }
  await pick(catalogOf({ onRefresh }), context, settings, keyboard)
  expect(context.out.text.split('Tidy up').length - 1).toBe(1)
})

const hit: SearchHit = {
  session: rows[2]!,
  role: 'user',
  event: 'e1',
  timestamp: '',
  snippet: 'a word',
  marks: [],
  more: 0,
  only_in_archive: false,
}

test('text is searched in steps: keys are handled in between, and the next key ends it', async () => {
  const context = screenOf()
  const { keyboard, type } = typing()
  const ended: string[] = []
  let isTyped = false
  const searchSteps: SteppedCatalog['searchSteps'] = function* (query, onSearched = () => {}) {
    const [[term]] = query.wanted as [[{ text: string }]]
    try {
      yield hit
      if (term.text === 'word') return summary
      // Endless, unless the next key ends it.
      for (let done = 1; ; done++) {
        onSearched(done, 375)
        if (!isTyped && context.out.text.includes('a word')) {
          isTyped = true
          type('d')
        }
        yield undefined
      }
    } finally {
      ended.push(term.text)
      if (term.text === 'word') type('\r')
    }
  }
  const picked = pick(catalogOf({ searchSteps }), context, settings, keyboard)
  type('wor')
  const { outcome, state } = await picked
  expect(outcome).toEqual({ kind: 'show', row: rows[2] })
  expect(ended).toEqual(['wor', 'word'])
  expect(context.out.text).toMatch(/searching text … [\d,]+ of 375 sessions/)
  expect(state.query).toBe('word')
})

test('an action leaves the picker open and says what was done', async () => {
  const context = screenOf()
  const { keyboard, type } = typing()
  const asked: string[] = []
  const perform: PickerSettings['perform'] = async (request) => {
    asked.push(request.kind)
    if (asked.length === 1) throw new IonError('failed', 'there is no clipboard here', { hint: 'ion show' })
    return { notice: 'pinned: it', changed: [{ ...rows[0]!, pinned: true, title: 'Now pinned' }] }
  }
  const shown = (text: string): Promise<void> => until(() => expect(context.out.text).toContain(text))
  const picked = pick(catalogOf(), context, { ...settings, perform }, keyboard)
  type('\x19i')
  await shown('there is no clipboard here: ion show')
  type('\x14p')
  await shown('pinned: it')
  type('pinned\r')
  const { outcome } = await picked
  expect(asked).toEqual(['copy', 'organise'])
  expect(outcome).toEqual({ kind: 'show', row: { ...rows[0]!, pinned: true, title: 'Now pinned' } })
})

test('before the first paint only a few sessions are asked for', async () => {
  const context = screenOf()
  const { keyboard, type } = typing()
  const before: unknown[] = []
  const sessions: SteppedCatalog['sessions'] = (filter) => {
    if (context.out.text === '') before.push(filter)
    return rows
  }
  const eachSession: SteppedCatalog['eachSession'] = function* () {
    before.push(context.out.text.includes('Write the parser'))
    type('\x03')
    yield* rows
  }
  await pick(catalogOf({ sessions, eachSession }), context, { ...settings, project: '/home/dev/shop' }, keyboard)
  expect(before).toEqual([{ limit: 50 }, true])
})
