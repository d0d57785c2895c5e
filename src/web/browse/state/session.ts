import { batch, computed, effect, signal, untracked } from '@preact/signals'
import type { PromptList, SessionCoverage, SessionDetail, TranscriptEntry } from '../../../server/browse/contract.ts'
import { Refused } from '../../api/refused.ts'
import { notifyError } from '../../state/page.ts'
import type { Row } from '../../state/rows.ts'
import { getCoverage, getEntry, getPrompts, getSession, getTranscript } from '../api.ts'
import { mergedEntries, rowsOfEntries } from './entries.ts'
import { route } from './route.ts'
import { sessions } from './sessions.ts'

/** Entries per request: several screens. */
const WINDOW = 80
/** Of a search through everything. */
const LARGE_WINDOW = 400
/** Larger sessions are not read completely only to count what was understood; their Raw tab offers it. */
const COUNTED_BYTES = 4_000_000

export const detail = signal<SessionDetail | undefined>(undefined)
export const coverage = signal<SessionCoverage | undefined>(undefined)
export const prompts = signal<PromptList | undefined>(undefined)
/** A range of the transcript without gaps. */
const entries = signal<readonly TranscriptEntry[]>([])
export const before = signal<string | null>(null)
export const after = signal<string | null>(null)
export const transcriptState = signal<'loading' | 'loaded' | { readonly error: string; readonly isMissing: boolean }>(
  'loading',
)
/** The event that a link or a key has led to. */
export const marked = signal<string | undefined>(undefined)
/** Set when the transcript should scroll to a row: the same row twice is two requests. */
export const scrollRequest = signal<{ readonly event: string } | undefined>(undefined)
export const fullResults = signal<ReadonlyMap<string, string>>(new Map())

export const rows = computed(() => rowsOfEntries(entries.value))
/** What the list knows before the details arrive. */
export const listed = computed(() => detail.value ?? sessions.value.find(({ id }) => id === route.value.session))

const withThinking = computed(() => route.value.query.has('thinking'))
const withSystem = computed(() => route.value.query.has('system'))
const options = (): { thinking: boolean; system: boolean } => ({
  thinking: withThinking.peek(),
  system: withSystem.peek(),
})

let opened: string | undefined
let request = 0

/** Loads the session that the address names, and goes to the event that it names. */
export function startSession(): void {
  effect(() => {
    const { session, event, screen } = route.value
    if (screen !== 'sessions') return
    // Only another address leads somewhere, not whatever is loaded for it.
    untracked(() => {
      if (session !== opened) {
        opened = session
        open(session, event)
      } else if (session !== undefined && event !== undefined) void goTo(event)
    })
  })
  let shown = ''
  effect(() => {
    const wanted = `${withThinking.value} ${withSystem.value}`
    if (shown !== '' && shown !== wanted && opened) untracked(() => void loadWindow(topEvent.value()))
    shown = wanted
  })
}

/** The first visible event: what changes around it should not move the reader. Set by the list. */
export const topEvent = signal<() => string | undefined>(() => undefined)

function open(session: string | undefined, event: string | undefined): void {
  batch(() => {
    detail.value = undefined
    coverage.value = undefined
    prompts.value = undefined
    entries.value = []
    before.value = null
    after.value = null
    marked.value = event
    transcriptState.value = 'loading'
    fullResults.value = new Map()
  })
  if (session === undefined) return
  void loadWindow(event)
  void loadDetail(session)
  getPrompts(session).then(
    (list) => {
      if (opened === session) prompts.value = list
    },
    () => undefined,
  )
}

async function loadDetail(session: string): Promise<void> {
  const found = await getSession(session).catch(() => undefined)
  if (opened !== session || !found) return
  detail.value = found
  if (found.bytes <= COUNTED_BYTES) await countCoverage()
}

/** After a change that the list does not have. */
export async function reloadDetail(): Promise<void> {
  const session = opened
  if (session === undefined) return
  const found = await getSession(session).catch(() => undefined)
  if (opened === session && found) detail.value = found
}

let countedAt: string | null | undefined

export async function countCoverage(): Promise<void> {
  const session = opened
  if (session === undefined) return
  const writtenAt = listed.peek()?.updated_at
  const counted = await getCoverage(session).catch(() => undefined)
  if (opened !== session) return
  coverage.value = counted
  countedAt = writtenAt
}

/** Again, if it was counted and the session has grown since. */
export function updateCoverage(): void {
  if (coverage.peek() && countedAt !== listed.peek()?.updated_at) void countCoverage()
}

/** Whether the open session could not be read, although it may be there. */
export function hasFailed(): boolean {
  const state = transcriptState.peek()
  return typeof state === 'object' && !state.isMissing
}

export function reloadSession(): void {
  const session = opened
  opened = undefined
  if (session !== undefined) {
    opened = session
    open(session, marked.peek())
  }
}

let opening: Promise<void> | undefined
/** That of the session when the window was read. */
let version: string | undefined

/** The window around an event, or the end. */
function loadWindow(event: string | undefined): Promise<void> {
  opening = openWindow(event)
  return opening
}

async function openWindow(event: string | undefined, place: { readonly after?: 'start' } = {}): Promise<void> {
  const session = opened
  if (session === undefined) return
  const mine = ++request
  try {
    const window = await getTranscript(session, { ...options(), ...place, around: event, limit: WINDOW }).catch(
      (error) => {
        // An event that is not there (any more) should not hide the session.
        if (event !== undefined && error instanceof Refused && error.status === 404) {
          marked.value = undefined
          notifyError('This session does not have the event of this link. Showing its end.')
          return getTranscript(session, { ...options(), limit: WINDOW })
        }
        throw error
      },
    )
    if (mine !== request) return
    batch(() => {
      entries.value = window.entries
      before.value = window.before
      after.value = window.after
      version = window.version
      transcriptState.value = 'loaded'
      if (event !== undefined) scrollRequest.value = { event }
    })
  } catch (error) {
    if (mine !== request) return
    const isMissing = error instanceof Refused && error.status === 404
    transcriptState.value = { error: (error as Error).message, isMissing }
  }
}

/** Goes to an event, whether it is loaded or not. */
export async function goTo(event: string): Promise<void> {
  marked.value = event
  if (entries.value.some((entry) => entry.event === event)) scrollRequest.value = { event }
  else await loadWindow(event)
}

export async function goToEnd(): Promise<void> {
  marked.value = undefined
  if (after.value !== null) await loadWindow(undefined)
}

/** The first prompt, which the rail of a large session may not have. */
export async function goToStart(): Promise<void> {
  const { prompts: known, from } = prompts.value ?? {}
  if (from === null) {
    if (known?.[0]) await goTo(known[0].event)
    return
  }
  const session = opened
  if (before.value !== null) {
    opening = openWindow(undefined, { after: 'start' })
    await opening
  }
  if (opened !== session) return
  const first = rows.value.find(({ kind }) => kind === 'prompt') ?? rows.value[0]
  if (first) await goTo(first.key)
}

/** Those before what the rail of a large session has. */
export async function loadEarlierPrompts(): Promise<void> {
  const [session, list] = [opened, prompts.value]
  if (session === undefined || !list || list.from === null) return
  try {
    const earlier = await getPrompts(session, list.from)
    const now = prompts.value
    // What was added meanwhile is at the end.
    if (opened === session && now?.from === list.from)
      prompts.value = { prompts: [...earlier.prompts, ...now.prompts], from: earlier.from }
  } catch (error) {
    notifyError(`Could not look for earlier prompts: ${(error as Error).message}`)
  }
}

interface Loading {
  /** The window that it extends. */
  readonly of: number
  readonly done: Promise<void>
}

const loading: { before?: Loading; after?: Loading } = {}

/** Loads what comes before or after the loaded entries. Concurrent calls share one request. */
export function extend(side: 'before' | 'after', limit = WINDOW): Promise<void> {
  // What is still being loaded for an earlier window is not wanted any more.
  if (loading[side]?.of === request) return loading[side].done
  const mine: Loading = {
    of: request,
    done: load(side, limit)
      .catch(() => undefined)
      .finally(() => {
        if (loading[side] === mine) delete loading[side]
      }),
  }
  loading[side] = mine
  return mine.done
}

async function load(side: 'before' | 'after', limit: number): Promise<void> {
  const cursor = side === 'before' ? before.value : after.value
  const session = opened
  if (cursor === null || session === undefined) return
  const mine = request
  const window = await getTranscript(session, { ...options(), [side]: cursor, limit })
  if (mine !== request || opened !== session) return
  const have = new Set(entries.value.map(({ event }) => event))
  const fresh = window.entries.filter(({ event }) => !have.has(event))
  batch(() => {
    if (side === 'before') {
      entries.value = [...fresh, ...entries.value]
      before.value = window.before
    } else {
      entries.value = [...entries.value, ...fresh]
      after.value = window.after
    }
  })
}

/** Loads in one direction until a row is found, or nothing is left. */
export async function findRow(
  direction: 1 | -1,
  from: string | undefined,
  isWanted: (row: Row) => boolean,
): Promise<Row | undefined> {
  const session = opened
  let at = from
  for (;;) {
    const all = rows.value
    const index = all.findIndex(({ key }) => key === at)
    const ahead = direction === 1 ? all.slice(index + 1) : all.slice(0, index < 0 ? all.length : index).reverse()
    const found = ahead.find(isWanted)
    if (found) return found
    // Not these again.
    at = (direction === 1 ? all.at(-1) : all[0])?.key ?? at
    const side = direction === 1 ? 'after' : 'before'
    if ((side === 'after' ? after.value : before.value) === null) return undefined
    await extend(side, LARGE_WINDOW)
    // Another window may be on its way, and is then looked through.
    await opening
    if (opened !== session || rows.value === all) return undefined
  }
}

/** New and changed entries of the open session. */
export function applyEntries(session: string, updates: readonly TranscriptEntry[]): void {
  if (session !== opened || transcriptState.value !== 'loaded') return
  // While the reader is in the middle, what is new comes with the windows after it.
  const have = new Set(entries.value.map(({ event }) => event))
  const usable = after.value === null ? updates : updates.filter(({ event }) => have.has(event))
  const shown = usable.filter(isShown)
  batch(() => {
    if (shown.length > 0) entries.value = mergedEntries(entries.value, shown)
    const list = prompts.value
    const added = updates.filter(({ event, role, part }) => role === 'user' && part.type === 'text' && !have.has(event))
    if (list && added.length > 0) {
      const more = added.map(({ event, time, part }) => ({ event, time, text: part.type === 'text' ? part.text : '' }))
      prompts.value = { ...list, prompts: [...list.prompts, ...more] }
    }
  })
}

/** Notes that everybody sees; others are of the agent itself. */
const NOTES = new Set(['interrupted', 'api_error', 'compaction', 'answered'])

/** A stream has everything, a window only what was asked for. */
function isShown({ part }: TranscriptEntry): boolean {
  if (part.type === 'thinking') return withThinking.peek()
  return part.type !== 'note' || withSystem.peek() || NOTES.has(part.subtype)
}

/** It was rewritten. */
export function resetSession(session: string): void {
  if (session === opened) void loadWindow(after.value === null ? undefined : topEvent.peek()())
}

/** What was written between the loading of the window and the following of the session: its end is read again. */
export async function catchUp(session: string, followedAt: string): Promise<void> {
  if (session !== opened) return
  await opening
  if (session !== opened || version === followedAt) return
  if (after.value !== null || transcriptState.value !== 'loaded') return
  const mine = request
  const window = await getTranscript(session, { ...options(), limit: WINDOW }).catch(() => undefined)
  if (mine !== request || !window) return
  const have = new Set(entries.value.map(({ event }) => event))
  if (window.entries.some(({ event }) => have.has(event))) entries.value = mergedEntries(entries.value, window.entries)
  else {
    batch(() => {
      entries.value = window.entries
      before.value = window.before
    })
  }
}

export async function loadFullResult({ key }: Row): Promise<void> {
  const session = opened
  if (session === undefined) return
  const entry = await getEntry(session, key)
  const result = entry.result ?? (entry.part.type === 'tool_result' ? entry.part : undefined)
  if (result) fullResults.value = new Map(fullResults.value).set(result.tool_use_id, result.content)
}

/** A change that this page made itself. */
export function patchDetail(change: Partial<SessionDetail>): void {
  if (detail.value) detail.value = { ...detail.value, ...change }
}
