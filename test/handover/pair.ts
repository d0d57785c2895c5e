// One session handed over to a real agent: written, resumed with a prompt, and compared with what the model received.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent } from '../../src/agents/agent.ts'
import { isProblem } from '../../src/events/item.ts'
import type { SessionHead } from '../../src/events/session.ts'
import { readContext } from '../../src/native/read-context.ts'
import type { Io } from '../../src/platform/io.ts'
import { storePath } from '../../src/vault/part-content.ts'
import type { Entry } from '../model/log.ts'
import { equal, holds } from '../prove/checks.ts'
import type { Scene } from '../prove/scene.ts'
import { hashesBelow, isDatabase, rowsWith } from '../prove/stored.ts'
import { until } from '../prove/until.ts'
import { type Fidelity, fidelityOf, type Outcome, outcomes, reasonsOf } from './fidelity.ts'
import { NEVER_SEEN } from './hard-sessions.ts'
import { type Piece, receivedPieces } from './received.ts'
import { type PlacedSession, place, type Source } from './sources.ts'

/** The report of `ion handover --json`, as far as it is looked at. */
interface Report {
  readonly mode: string
  readonly reason: string
  readonly target: { readonly id: string; readonly native_id: string }
  readonly events: Readonly<Record<'kept' | 'changed' | 'shortened' | 'as_text', number>>
  readonly lossy: readonly { readonly outcome: string; readonly count: number; readonly reason: string }[]
  readonly call_ids: Readonly<Record<string, string>>
  readonly files: readonly string[]
}

export interface Measured {
  readonly fidelity: Fidelity
  /** Of whatever is not verbatim. */
  readonly reasons: readonly string[]
}

const PROBE = 'PROBE what did we say last'

/** The user of a scene, for the parts that Ion's own code does in this process. */
function ioOf({ env, world, project }: Scene): Io {
  return { env, home: world.home, cwd: project, platform: process.platform, now: () => new Date() }
}

/** Some stores exist only after the agent's first start. */
async function startOnce(scene: Scene): Promise<void> {
  const { code, err } = await scene.ion(scene.runArgs(['--headless', '--task', 'first', 'The very first session.']))
  equal(`exit code of the first start (${err})`, code, 0)
}

/** Puts the sessions of a source into the home of the scene. */
export function placeIn(scene: Scene, source: Source, names: readonly string[]): Promise<PlacedSession[]> {
  const isOwn = source.agent.id === scene.subject.agent
  return place(source, names, ioOf(scene), isOwn ? () => startOnce(scene) : undefined)
}

/**
 * Throws when something other than the content is wrong: something was sent too early, the source's store changed, the report
 * is not right, the model refused a request. `auto`: without saying how.
 */
export async function measure(
  scene: Scene,
  source: Source,
  session: PlacedSession,
  { auto = false, inTerminal = false }: { auto?: boolean; inTerminal?: boolean } = {},
): Promise<Measured> {
  const before = stateOf(source.agent, session.head, ioOf(scene))
  const report = await handOver(scene, session, auto ? [] : ['--as', 'native'])
  equal(`mode (${report.reason})`, report.mode, 'native')
  if (inTerminal) await waitsInTerminal(scene, report)
  const pieces = await probe(scene, report)
  const all = outcomes(session.seen, pieces, report.call_ids)
  equal('the store of the source', stateOf(source.agent, session.head, ioOf(scene)), before)
  const claimed = reportAgrees(report, all, source)
  const wrong = pieces.filter((piece) => NEVER_SEEN.test(JSON.stringify(piece)))
  equal('abandoned, summarised or inner records that were sent', wrong, [])
  return { fidelity: fidelityOf(all), reasons: [...reasonsOf(all), ...claimed] }
}

async function handOver(scene: Scene, { head }: PlacedSession, args: readonly string[]): Promise<Report> {
  const here = head.cwd === scene.project ? [] : ['--here']
  const command = ['handover', head.id, '--in', scene.subject.agent, '--json', ...here, ...args]
  const talked = talk(scene).length
  const first = await scene.ion(command)
  const isMissing = first.code === 4 && scene.model.log.turns().length === 0
  if (isMissing) await startOnce(scene)
  const before = talk(scene).length
  const { code, out, err } = isMissing ? await scene.ion(command) : first
  equal('requests to the model by the handover alone', talk(scene).length, isMissing ? before : talked)
  equal(`exit code of the handover (${err})`, code, 0)
  return JSON.parse(out) as Report
}

/** Opened without a prompt, nothing is sent. */
async function waitsInTerminal(scene: Scene, { target }: Report): Promise<void> {
  const before = talk(scene).length
  const terminal = scene.terminal(['--resume', target.id])
  await terminal.ready()
  equal(`requests to the model without typing; the screen:\n${terminal.text()}\n`, talk(scene).length, before)
  await terminal.end()
}

/** Everything that the model received with the first prompt after the handover. */
async function probe(scene: Scene, { target }: Report): Promise<Piece[]> {
  const { log } = scene.model
  const [before, refused] = [log.entries.length, refusedBy(scene).length]
  const { code, out, err } = await scene.ion(['--resume', target.id, '--headless', '--send', PROBE])
  const failures = refusedBy(scene).slice(refused)
  equal('requests that the model refused', failures, [])
  equal(`exit code of the probe (${err})`, code, 0)
  holds('no answer on stdout', out.includes(PROBE), out)
  const entry = await until('the probe at the model', 10_000, () =>
    log.entries.slice(before).find((one) => one.kind === 'turn' && says(one, PROBE)),
  )
  const body = (JSON.parse(readFileSync(join(scene.requests!, `${entry.n}.json`), 'utf8')) as { body: unknown }).body
  const pieces = receivedPieces(entry.protocol, body)
  if (!pieces) throw new Error(`no reader for requests of the protocol ${entry.protocol}`)
  return pieces
}

function says({ messages }: Entry, text: string): boolean {
  return messages.some((message) => message.role === 'user' && message.text.includes(text))
}

/** Requests with any part of a conversation. */
function talk(scene: Scene): Entry[] {
  return scene.model.log.entries.filter(({ messages }) => messages.length > 0)
}

/** Of the conversation: what agents ask beside it (routing, titles) they cut themselves, and do without an answer. */
function refusedBy(scene: Scene): string[] {
  return scene.model.log
    .rejections()
    .filter(({ kind }) => kind === 'turn')
    .map(({ n, path, rejected }) => `${n} ${path}: ${rejected?.rule}: ${rejected?.message}`)
}

/**
 * Each event is one of those that the report counts. Those that are kept arrive verbatim, unless the target changes them itself,
 * which is then the reason for a share below 100 %.
 */
function reportAgrees({ events, lossy }: Report, all: readonly Outcome[], { form }: Source): string[] {
  const { kept, changed, shortened, as_text } = events
  const overBudget = lossy.filter(
    ({ outcome, reason }) => outcome === 'dropped' && reason.endsWith('to fit the budget'),
  )
  const left = overBudget.reduce((sum, { count }) => sum + count, 0)
  // Some stores join answers that follow each other.
  if (form === 'native') equal('events in the report', kept + changed + shortened + as_text + left, all.length)
  const verbatim = all.filter(({ fate }) => fate === 'verbatim').length
  const reasons = left > 0 ? [`${left} left out: the budget of the target`] : []
  return verbatim >= kept
    ? reasons
    : [...reasons, `${kept} written and read back, ${verbatim} sent so by the agent itself`]
}

/** Undo is refused once the session was used, and removes exactly what was written before that. */
export async function undoes(scene: Scene, session: PlacedSession): Promise<void> {
  const io = ioOf(scene)
  const used = await handOver(scene, session, [])
  const refused = await scene.ion(['handover', 'undo', used.target.id])
  equal(`exit code of undo after the probe (${refused.err})`, refused.code, 4)
  const before = filesOf(io)
  const unused = await handOver(scene, session, ['--again'])
  holds('--again gave the same session', unused.target.id !== used.target.id)
  const undone = await scene.ion(['handover', 'undo', unused.target.id, '--json'])
  equal(`exit code of undo (${undone.err})`, undone.code, 0)
  equal('files after undo', filesOf(io), before)
  for (const path of unused.files.filter((file) => isDatabaseFile(file))) {
    const left = Object.entries(rowsWith(path, unused.target.native_id)).filter(([, rows]) => rows.length > 0)
    equal(`rows after undo in ${path}`, left, [])
  }
}

/** All files of the home but databases, which change without their content changing. */
function filesOf({ home }: Io): Record<string, string> {
  return Object.fromEntries(Object.entries(hashesBelow(home)).filter(([path]) => !/\.(db|sqlite3?)(-\w+)?$/.test(path)))
}

/** The session as it is in its agent's store: bytes of files, rows of databases. */
function stateOf(agent: Agent, head: SessionHead, io: Io): Record<string, unknown> {
  const parts = agent.backup ? [...agent.backup.parts(head, readContext(io))] : []
  const paths = parts.flatMap((part) => (isProblem(part) ? [] : [storePath(part, agent.backup!, io)]))
  const state: Record<string, unknown> = {}
  for (const path of new Set([...paths, head.path])) {
    Object.assign(state, isDatabaseFile(path) ? { [path]: rowsWith(path, head.native_id) } : hashesBelow(path))
  }
  return state
}

function isDatabaseFile(path: string): boolean {
  try {
    return isDatabase(path)
  } catch {
    return false
  }
}
