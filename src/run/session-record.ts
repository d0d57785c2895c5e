import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { asArray, asCount, asObject, asString, parsedObject } from '../native/narrow.ts'
import { replaceFile } from '../platform/atomic-file.ts'
import { attempt } from '../platform/error.ts'
import { readLedger } from './ledger.ts'
import {
  arrivedRuns,
  type PinnedSession,
  type RunState,
  runsOfSession,
  type TaskState,
  taskState,
} from './task-state.ts'

/**
 * What must not be forgotten of a task, in a second file beside the ledger that is replaced as a whole: its session, and
 * which prompts arrived there. With an intact ledger it says nothing new.
 */
interface SessionRecord {
  /** Undefined after a cold start whose session is not known yet. */
  readonly session: PinnedSession | undefined
  /** The prompts that arrived in the session, oldest first. */
  readonly prompts: readonly RecordedPrompt[]
  readonly args: readonly string[]
}

/** A prompt that arrived, and its run. */
export interface RecordedPrompt {
  readonly run: string
  readonly hash: string
  readonly length: number
  readonly at: string
}

/** Of a task with more prompts, the first and the last ones. */
const MAX_PROMPTS = 200

function recordFile(taskFolder: string): string {
  return join(taskFolder, 'session.json')
}

/** What is known about a task: from its ledger, and from the record where the ledger has lost lines. */
export function readTaskState(folder: string): TaskState {
  const { entries, damage } = readLedger(folder)
  const state = taskState(entries, damage)
  const record = readRecord(folder)
  return record ? withRecord(state, record) : state
}

/** Brings the record up to date with the ledger; `found` are prompts of lost lines that the transcript has. */
export function saveRecord(folder: string, found: readonly RecordedPrompt[] = []): void {
  const state = readTaskState(folder)
  const known = arrivedRuns(runsOfSession(state)).map(({ run, prompt: { hash, length, at } }) => ({
    run,
    hash,
    length,
    at,
  }))
  writeRecord(folder, { session: state.session, prompts: [...found, ...known], args: state.args })
}

/** Before a cold start: what is known from now on is about another session. */
export function resetRecord(folder: string, args: readonly string[]): void {
  writeRecord(folder, { session: undefined, prompts: [], args })
}

/** Only a second copy: a failure to write it does not fail the run. */
function writeRecord(folder: string, { session, prompts, args }: SessionRecord): void {
  const kept = prompts.length > MAX_PROMPTS ? [prompts[0]!, ...prompts.slice(1 - MAX_PROMPTS)] : prompts
  const text = `${JSON.stringify({ v: 1, ...session, prompts: kept, args })}\n`
  attempt(() => {
    if (attempt(() => readFileSync(recordFile(folder), 'utf8')) !== text) replaceFile(recordFile(folder), text)
  })
}

/** Undefined if there is none, or none that can be used. */
function readRecord(folder: string): SessionRecord | undefined {
  const record = parsedObject(attempt(() => readFileSync(recordFile(folder), 'utf8')) ?? '')
  if (record?.v !== 1) return undefined
  const native_id = asString(record.native_id)
  const session =
    native_id === undefined ? undefined : { native_id, files: texts(record.files), cwd: asString(record.cwd) ?? '' }
  return { session, prompts: (asArray(record.prompts) ?? []).flatMap(promptOf), args: texts(record.args) }
}

function promptOf(value: unknown): RecordedPrompt[] {
  const { run, hash, length, at } = asObject(value) ?? {}
  const prompt = { run: asString(run), hash: asString(hash), length: asCount(length), at: asString(at) }
  const isComplete = Object.values(prompt).every((field) => field !== undefined)
  return isComplete ? [prompt as RecordedPrompt] : []
}

function texts(value: unknown): string[] {
  return (asArray(value) ?? []).flatMap((one) => asString(one) ?? [])
}

/** Adds what the ledger does not have. A session that it never heard of means that it has lost lines. */
function withRecord(state: TaskState, { session, prompts, args }: SessionRecord): TaskState {
  const withArgs = { ...state, args: state.runs.length > 0 ? state.args : args }
  if (!session) return withArgs
  const base = { ...withArgs, hasRecord: true }
  const isLost = state.session?.native_id !== session.native_id && !state.past.includes(session.native_id)
  if (!isLost && state.session?.native_id !== session.native_id) return base
  const runs = withArrivals(state.runs, prompts, session)
  return isLost ? { ...base, session, attempts: [], runs, isRecovered: true } : { ...base, runs }
}

function withArrivals(
  runs: readonly RunState[],
  prompts: readonly RecordedPrompt[],
  { native_id, cwd }: PinnedSession,
): readonly RunState[] {
  const isOf =
    ({ run, hash }: RecordedPrompt) =>
    (one: RunState): boolean =>
      one.run === run && one.prompt?.hash === hash
  const known = runs.map((one): RunState => {
    const arrival = prompts.find((prompt) => isOf(prompt)(one))
    if (!arrival || !one.prompt || one.prompt.state === 'seen') return one
    return { ...one, prompt: { ...one.prompt, state: 'seen', at: arrival.at } }
  })
  const lost = prompts.flatMap((prompt, index): RunState[] => {
    if (runs.some(isOf(prompt))) return []
    const { run, hash, length, at } = prompt
    return [
      {
        run,
        // The first one came with the start that created the session.
        decision: index === 0 ? 'cold' : 'warm',
        captured: index === 0,
        mode: 'headless',
        cwd,
        plannedAt: at,
        session: native_id,
        prompt: { hash, length, state: 'seen', at },
        program: '',
        process: undefined,
        exit: { code: 0, signal: null },
      },
    ]
  })
  if (lost.length === 0) return known
  return [...known, ...lost].sort((a, b) => Date.parse(a.plannedAt) - Date.parse(b.plannedAt))
}
