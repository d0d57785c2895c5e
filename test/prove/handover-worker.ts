// The inside of `npm run prove -- handover`, in a network of loopback only: each source's sessions in each target, a few pairs
// at a time.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Cell, failedResult, resultOf, type SessionResult } from '../handover/matrix.ts'
import { measure, placeIn, undoes } from '../handover/pair.ts'
import { allSources, RICH, type Source } from '../handover/sources.ts'
import { Checks } from './checks.ts'
import { insideTask } from './inside.ts'
import { Scene, type Subject } from './scene.ts'

export interface HandoverTask {
  subjects: Subject[]
  /** Ids of agents; all when empty. */
  sources: string[]
  /** Names of sessions; all when empty. */
  sessions: string[]
  ion: string
  keep: boolean
}

interface Pair {
  source: Source
  subject: Subject
  /** Also what does not depend on the source: nothing is sent in a terminal, undo. */
  isThorough: boolean
}

const { task, finish } = insideTask<HandoverTask>()
const base = mkdtempSync(join(tmpdir(), 'ion-handover-'))
const sources = (await allSources()).filter(({ agent }) => task.sources.length === 0 || task.sources.includes(agent.id))
const waiting: Pair[] = sources.flatMap((source, place) =>
  task.subjects.map((subject) => ({ source, subject, isThorough: place === 0 || source.agent.id === subject.agent })),
)
const cells: Cell[] = []
await Promise.all(Array.from({ length: availableParallelism() + 1 }, work))
finish(cells)
if (task.keep) console.log(`kept ${base}`)
else rmSync(base, { recursive: true, force: true })

async function work(): Promise<void> {
  for (let pair = waiting.shift(); pair; pair = waiting.shift()) {
    const { source, subject } = pair
    const begin = Date.now()
    let sessions = await play(pair, namesFor(source))
    const failed = Object.keys(sessions).filter((name) => sessions[name]?.failed !== undefined)
    // A busy machine is sometimes too slow for a deadline. Failing twice is a failure.
    if (failed.length > 0) sessions = { ...sessions, ...(await play(pair, failed, '-again')) }
    const { name: target, version } = subject
    cells.push({ source: source.agent.id, form: source.form, target, version, date: today(), sessions })
    console.log(`${source.agent.id} -> ${target} ${version} (${Math.round((Date.now() - begin) / 100) / 10} s)`)
    for (const [name, result] of Object.entries(sessions)) console.log(`  ${lineOf(name, result)}`)
  }
}

function namesFor({ names }: Source): string[] {
  return [RICH, ...names].filter((name) => task.sessions.length === 0 || task.sessions.includes(name))
}

function today(): string {
  return new Date().toISOString().slice(0, 10)
}

function lineOf(name: string, { failed, reasons = [], ...shares }: SessionResult): string {
  if (failed !== undefined) return `FAIL ${name}: ${failed}`
  const numbers = Object.entries(shares).flatMap(([aspect, value]) => (value === null ? [] : [`${aspect} ${value}`]))
  return `${reasons.length > 0 ? 'less' : 'ok  '} ${name}: ${[numbers.join(', '), ...reasons].join('; ')}`
}

async function play(
  { source, subject, isThorough }: Pair,
  names: readonly string[],
  suffix = '',
): Promise<Record<string, SessionResult>> {
  const root = join(base, `${source.agent.id}-${subject.name}-${subject.version}${suffix}`)
  mkdirSync(root, { recursive: true })
  const scene = await Scene.make({ root, subject, ion: task.ion, checks: new Checks(), keepRequests: true })
  const results: Record<string, SessionResult> = {}
  try {
    for (const session of await placeIn(scene, source, names)) {
      const isFirst = session.name === RICH || source.form === 'sample'
      try {
        const measured = await measure(scene, source, session, { auto: isFirst, inTerminal: isFirst && isThorough })
        if (isFirst && isThorough) await undoes(scene, session)
        results[session.name] = resultOf(measured)
      } catch (error) {
        results[session.name] = failedResult((error as Error).message)
        if (task.keep) console.log((error as Error).stack)
      }
    }
  } catch (error) {
    for (const name of names) results[name] ??= failedResult((error as Error).message)
  } finally {
    await scene.close()
    if (!task.keep) scene.remove()
  }
  return results
}
