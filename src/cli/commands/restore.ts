import { resolve } from 'node:path'
import type { Agent } from '../../agents/agent.ts'
import { findAgent } from '../../agents/find.ts'
import { Archive } from '../../archive/archive.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { type Located, storeAgent } from '../../catalog/read-session.ts'
import { isProblem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { readContext } from '../../native/read-context.ts'
import { type ExitKind, IonError } from '../../platform/error.ts'
import { tilde } from '../../platform/home.ts'
import { type Io, inHome } from '../../platform/io.ts'
import { minuteOf } from '../../platform/local-time.ts'
import { plain } from '../../platform/plain-text.ts'
import type { BackedUpSession, BackupVersion } from '../../vault/manifest.ts'
import { type RestoreResult, restore } from '../../vault/restore.ts'
import { Vault } from '../../vault/vault.ts'
import type { Context, OptionsOf, Run } from '../command.ts'
import type { restore as definition } from '../definitions/copies.ts'
import { bytes, pluralize } from '../text.ts'
import { findFresh, withCatalog } from '../with-catalog.ts'

type Options = OptionsOf<typeof definition>

export const run: Run<typeof definition> = async ([reference], options, context) =>
  withCatalog(context, (catalog) => restoreOne(catalog, reference, options, context))

function restoreOne(catalog: Catalog, reference: string, options: Options, context: Context): ExitKind {
  const { io } = context
  const located = catalog.locate(findFresh(catalog, reference, context))
  const { head } = located
  const agent = findAgent(head.agent)
  const vault = new Vault(io)
  const session = vault.find(agent, head.id)
  if (!session) throw noCopy(agent, head.id)
  if (options.list) return printVersions(session, options, context)
  const version = chooseVersion(session, options.state)
  const target = options.to === undefined ? io : inHome(resolve(io.cwd, options.to), io)
  const { replace } = options
  // Holds the archive's lease: the copy must not change while it is read, and what is replaced is captured first.
  const archive = new Archive(io)
  try {
    if (replace && target === io) {
      capturePresent(archive, located)
      captureNeighbours(archive, agent, head, io)
    }
    const { parts } = version
    const results = restore({ ...session, agent, parts, content: (part) => vault.content(part), io: target, replace })
    printResult(session, version, results, options, context, target === io)
    return 'ok'
  } finally {
    archive.close()
  }
}

function noCopy(agent: Agent, id: string): IonError {
  const short = id.slice(0, 8)
  return new IonError('not-found', `there is no exact copy of session ${short} of ${agent.title}`, {
    hint: `ion capture ${short} makes one while the agent still has it; to read it: ion show ${short}, ion export ${short}`,
  })
}

function chooseVersion({ versions }: BackedUpSession, state: string | undefined): BackupVersion {
  if (state === undefined) return versions.at(-1)!
  const version = /^[1-9]\d*$/.test(state) ? versions[Number(state) - 1] : undefined
  if (version) return version
  throw new IonError('usage', `there is no version "${plain(state)}" of this session`, {
    hint: `a number from 1 to ${versions.length}: ion restore <id> --list`,
  })
}

function capturePresent(archive: Archive, located: Located): void {
  const agent = storeAgent(located)
  if (agent.isArchive) return
  const { uncopied } = archive.capture(agent, located.head)
  archive.save()
  if (uncopied !== undefined) throw notCaptured(uncopied)
}

/** Some agents have one file for all sessions of a folder, so restoring this session may replace another. */
function captureNeighbours(archive: Archive, agent: Agent, { id, cwd }: SessionHead, io: Io): void {
  const reading = readContext(io)
  for (const source of agent.sources(reading)) {
    if (isProblem(source)) continue
    for (const other of agent.heads(source, reading)) {
      if (isProblem(other) || other.id === id || other.cwd !== cwd) continue
      const { uncopied } = archive.capture(agent, other)
      if (uncopied !== undefined) throw notCaptured(uncopied)
    }
  }
  archive.save()
}

function notCaptured(why: string): IonError {
  return new IonError('refused', `what exists now cannot be captured: ${why}`, { hint: 'fix that and try again' })
}

function printVersions({ id, agent, versions }: BackedUpSession, options: Options, { out }: Context): ExitKind {
  for (const [index, { at, agent_version, parts }] of versions.entries()) {
    const size = parts.reduce((sum, part) => sum + part.size, 0)
    if (options.json) {
      out.write(
        `${JSON.stringify({ id, agent, state: index + 1, at, agent_version, bytes: size, parts: parts.length })}\n`,
      )
      continue
    }
    const version = agent_version === null ? '' : `, version ${plain(agent_version)}`
    out.write(
      `${index + 1}  ${minuteOf(new Date(at))}  ${bytes(size)} in ${pluralize(parts.length, 'part')}${version}\n`,
    )
  }
  return 'ok'
}

function printResult(
  { id, agent, title }: BackedUpSession,
  { at }: BackupVersion,
  results: readonly RestoreResult[],
  options: Options,
  { io, out }: Context,
  isAtHome: boolean,
): void {
  if (options.json) {
    out.write(`${JSON.stringify({ id, agent, copy_of: at, parts: results })}\n`)
    return
  }
  const name = `${findAgent(agent).title} ${id.slice(0, 8)} (${plain(title ?? 'untitled')})`
  const done = results.filter(({ act }) => act !== 'same')
  if (done.length === 0) {
    out.write(`${name} is already there, identical to the copy of ${minuteOf(new Date(at))}\n`)
    return
  }
  out.write(`restored ${name} as of ${minuteOf(new Date(at))}\n`)
  for (const { act, path, rows } of done) {
    out.write(`  ${act} ${plain(tilde(path, io))}${rows === undefined ? '' : ` (${pluralize(rows, 'row')})`}\n`)
  }
  const same = results.length - done.length
  if (same > 0) out.write(`  ${pluralize(same, 'part')} already identical\n`)
  if (isAtHome) out.write(`open it: ion --resume ${id.slice(0, 8)}\n`)
}
