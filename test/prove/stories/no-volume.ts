import { mkdirSync, rmSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { findAgent } from '../../../src/agents/find.ts'
import { isProblem } from '../../../src/events/item.ts'
import { readContext } from '../../../src/native/read-context.ts'
import { type Io, realIo } from '../../../src/platform/io.ts'
import { generateKey } from '../../../src/replica/seal/keys.ts'
import { ledgerFile } from '../../../src/run/ledger.ts'
import { SessionLookup } from '../../../src/run/session-lookup.ts'
import { SERVER_BUCKET, startServer, versitygw } from '../../s3/servers.ts'
import type { Checks } from '../checks.ts'
import { equal, holds } from '../checks.ts'
import { killAll, type Process, processesWith } from '../processes.ts'
import { eventsOf, historyHolds, promptsRead, textOf } from '../questions.ts'
import { NO_VOLUME } from '../scenario-names.ts'
import { Scene } from '../scene.ts'
import { bytesAt, hashesBelow, rowsWith } from '../stored.ts'
import { until } from '../until.ts'
import { MOVED_FOLDER } from './moved-home.ts'

const FIRST = 'TOOL look at the shop'
const NEXT = 'And in the new home'
/** What is older than this when everything is killed must be in the store. */
const LAG_MS = 1000

/** A workspace without a volume is killed and deleted; the next one has only the store and its key. */
export async function noVolume(scene: Scene, checks: Checks) {
  const { subject, program } = scene
  const root = join(scene.root, 'next')
  const there = await Scene.make({ root, subject, ion: program, folder: MOVED_FOLDER, checks })
  try {
    const store = await openStore(scene)
    try {
      const { text: key } = await generateKey(realIo())
      for (const { env } of [scene, there]) Object.assign(env, store.env, { ION_REPLICA_KEY: key })
      await checks.that(NO_VOLUME, () => continueElsewhere(scene, there), { note: store.kind })
    } finally {
      await store.close()
    }
  } finally {
    await there.close()
  }
}

async function continueElsewhere(scene: Scene, there: Scene): Promise<void> {
  const terminal = scene.terminal(scene.runArgs([FIRST], 'terminal'))
  // Stays open after its answer, so that nothing is flushed at an end.
  const before = await until('the answer in the transcript', 90_000, () => answered(scene)).catch((error) => {
    throw new Error(`${error.message}; the screen:\n${terminal.text()}`)
  })
  const killed = await killAfterLag(scene)
  deleteHome(scene)
  await restoredExactly(scene, killed)
  deleteHome(scene)

  const again = await there.ion(there.runArgs(['--headless', FIRST]))
  equal(`exit code of the same command (${again.err})`, again.code, 0)
  holds('nothing was restored', again.err.includes('restored session'), again.err)
  equal('what was said', (await said(there)).slice(0, before.length), before)
  const next = await there.ion(there.runArgs(['--headless', '--send', NEXT]))
  equal(`exit code of the next prompt (${next.err})`, next.code, 0)
  historyHolds(there, FIRST, there.subject.tools === false ? 'no shell tool was offered' : 'tool-ran', NEXT)
  equal('prompts', await promptsRead(there), [[FIRST, NEXT]])
  const sent = [scene, there].map(({ model }) => model.log.promptCount(FIRST))
  equal('times that the prompt was sent, here and there', sent, [1, 0])
}

interface Store {
  readonly kind: 'S3' | 'folder'
  /** All that a workspace gets, except for the key. */
  readonly env: Readonly<Record<string, string>>
  close(): Promise<void>
}

/** On a real S3 server where one is installed. It is of this scene alone, and not one of the processes that are killed. */
async function openStore({ root, subject: { s3Server } }: Scene): Promise<Store> {
  if (s3Server !== undefined) {
    const { env, stop } = await startServer(versitygw, s3Server)
    return { kind: 'S3', env: { ...env, ION_REPLICA: `s3://${SERVER_BUCKET}/ion` }, close: stop }
  }
  const folder = join(root, 'store')
  mkdirSync(folder)
  return { kind: 'folder', env: { ION_REPLICA: `file://${folder}` }, close: async () => {} }
}

/** What was said, once the model's last answer is in the transcript. */
async function answered(scene: Scene): Promise<Said[] | undefined> {
  const [answer, turns] = scene.subject.tools === false ? ['no shell tool was offered', 1] : ['tool said:', 2]
  // Asking Ion takes two processes each time.
  if (scene.model.log.turns().length < turns) return undefined
  const all = await said(scene)
  return all.some(([type, text]) => type === 'assistant' && text.includes(answer)) ? all : undefined
}

type Said = [type: string, text: string]

/** What the user and the model said, and the tools that were called, in the only session. */
async function said(scene: Scene): Promise<Said[]> {
  const [row] = await scene.sessions()
  if (!row) return []
  const events = await scene.events(row.id)
  return [
    ...eventsOf(events, 'user').map(({ type, content }): Said => [type, textOf(content)]),
    ...eventsOf(events, 'assistant').map(({ type, content }): Said => [type, textOf(content)]),
    ...eventsOf(events, 'tool_use').map(({ type, name }): Said => [type, name]),
  ]
}

/** Kills everything as soon as the last write is so old that it must be in the store; returns what is on disk then. */
async function killAfterLag(scene: Scene): Promise<OnDisk> {
  await until('the agent to write nothing for a second', 60_000, () => {
    // Listing them takes longer than the rest.
    const own = processesOf(scene)
    const isOld = Date.now() - lastWrite(scene) >= LAG_MS
    if (isOld) killAll(own)
    return isOld
  })
  await until('the killed processes to be gone', 10_000, () => processesOf(scene).length === 0)
  return onDisk(scene)
}

function processesOf({ world: { home } }: Scene): Process[] {
  return processesWith(`HOME=${home}\0`)
}

function deleteHome({ root, world: { home } }: Scene): void {
  for (const folder of [home, join(root, 'ion'), join(root, 'tmp')]) {
    rmSync(folder, { recursive: true, maxRetries: 5, retryDelay: 200 })
  }
}

/** In an empty home at the same path nothing has to be adjusted: the session and its ledger are as they were, to the byte. */
async function restoredExactly(scene: Scene, killed: OnDisk): Promise<void> {
  for (const folder of [scene.project, join(scene.root, 'tmp')]) mkdirSync(folder, { recursive: true })
  const { code, err } = await scene.ion(['replica', 'restore', scene.subject.agent])
  equal(`exit code of ion replica restore (${err})`, code, 0)
  equal('what was restored', onDisk(scene), killed)
}

/** Size and hash of files, and for a database the rows of the session. */
type OnDisk = Record<string, unknown>

function onDisk(scene: Scene): OnDisk {
  const { nativeId, files, databases } = placesOf(scene)
  return Object.fromEntries([
    ...files.map((path) => [relative(scene.root, path), `${bytesAt(path)} bytes, ${hashesBelow(path)[path]}`]),
    ...databases.map((path) => [relative(scene.root, path), rowsWith(path, nativeId)]),
  ])
}

function lastWrite(scene: Scene): number {
  const { files, databases } = placesOf(scene)
  const written = [...files, ...databases, ...databases.map((path) => `${path}-wal`)]
  return Math.max(...written.map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0))
}

/** Where the only session and the task's ledger are: the adapter says what belongs to a session, and it is read without Ion. */
function placesOf(scene: Scene): { nativeId: string; files: string[]; databases: string[] } {
  const agent = findAgent(scene.subject.agent)
  const backup = agent.backup!
  const io: Io = { ...realIo(), env: scene.env, home: scene.world.home, cwd: scene.project }
  const [session, ...others] = new SessionLookup(agent, io, scene.taskFolder()).matching(new Date(0), () => true)
  if (!session || others.length > 0) throw new Error(`${others.length + (session ? 1 : 0)} sessions instead of one`)
  const parts = [...backup.parts(session.head, readContext(io))].map((part) => {
    if (isProblem(part)) throw new Error(part.problem)
    return { kind: part.kind, path: join(backup.roots(io)[part.root]!, part.path) }
  })
  const pathsOf = (kind: 'file' | 'rows') => parts.filter((part) => part.kind === kind).map(({ path }) => path)
  return {
    nativeId: session.head.native_id,
    files: [ledgerFile(scene.taskFolder()), ...pathsOf('file')],
    databases: pathsOf('rows'),
  }
}
