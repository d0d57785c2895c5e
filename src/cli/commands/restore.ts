import { resolve } from 'node:path'
import { agents } from '../../agents/_registry.ts'
import type { Agent } from '../../agents/agent.ts'
import { findAgent } from '../../agents/find.ts'
import { Archive } from '../../archive/archive.ts'
import { captureFolder, notCaptured } from '../../archive/capture-folder.ts'
import { countMissing, type EventCount } from '../../catalog/archived-history.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Located } from '../../catalog/read-session.ts'
import type { SessionRow } from '../../catalog/session-row.ts'
import { type SessionHead, sessionName } from '../../events/session.ts'
import { type ExitKind, IonError } from '../../platform/error.ts'
import { bytes, pluralize } from '../../platform/format-count.ts'
import { tilde } from '../../platform/home.ts'
import { inHome } from '../../platform/io.ts'
import { toJsonText } from '../../platform/json-text.ts'
import { minuteOf } from '../../platform/local-time.ts'
import { plain } from '../../platform/plain-text.ts'
import type { BackedUpSession, BackupVersion } from '../../vault/manifest.ts'
import { type RestoreResult, restore } from '../../vault/restore.ts'
import { Vault } from '../../vault/vault.ts'
import type { Context, OptionsOf, Run } from '../command.ts'
import type { restore as definition } from '../definitions/copies.ts'
import { findFresh, withCatalog } from '../with-catalog.ts'

type Options = OptionsOf<typeof definition>

export const run: Run<typeof definition> = async ([reference], options, context) =>
  withCatalog(context, (catalog) => restoreOne(catalog, reference, options, context))

function restoreOne(catalog: Catalog, reference: string, options: Options, context: Context): ExitKind {
  const { io } = context
  const row = findFresh(catalog, reference, context)
  const located = catalog.locate(row)
  const { head } = located
  // Ion does not know the agent of every imported session.
  const agent = agents.find(({ id }) => id === head.agent)
  const vault = new Vault(io)
  const session = agent && vault.find(agent, head.id)
  if (!session) throw noCopy(agent?.title ?? head.agent, row)
  if (options.list) return printVersions(session, options, context)
  const version = chooseVersion(session, options.state)
  const target = options.to === undefined ? io : inHome(resolve(io.cwd, options.to), io)
  const { replace } = options
  // Holds the archive's lease: the copy must not change while it is read, and what is replaced is captured first.
  const archive = new Archive(io)
  try {
    const isAtHome = target === io
    if (replace && isAtHome) capturePresent(archive, located)
    // Some agents have one file or one row for all sessions of a folder, so restoring this one may replace another.
    const { cwd } = session
    const needsPlace = cwd !== null && isAtHome && (replace || agent.onePerFolder)
    const others = needsPlace ? captureFolder(archive, agent, cwd, io, { except: head.id }) : []
    const [other] = agent.onePerFolder ? others : []
    if (other && !replace) throw placeTaken(agent, session, other)
    const { parts } = version
    const results = restore({ ...session, agent, parts, content: (part) => vault.content(part), io: target, replace })
    const archived = catalog.locateArchived(row)
    const missing = archived ? countMissing(archived, agent, target, io) : 0
    printResult({ session, version, results, replaced: other, isAtHome, missing }, options, context)
    return 'ok'
  } finally {
    archive.close()
  }
}

function noCopy(agent: string, { id, only_in_archive }: SessionRow): IonError {
  const why = only_in_archive ? `, which is only in Ion's archive: it can be read but not restored` : ''
  return new IonError('not-found', `there is no exact copy of session ${id} of ${agent}${why}`, {
    hint: `${only_in_archive ? `ion --resume ${id} --in <agent> continues it in a new session; ` : `ion capture ${id} makes one; `}to read it: ion show ${id}, ion export ${id}`,
  })
}

function placeTaken(agent: Agent, { id, cwd }: BackedUpSession, other: SessionHead): IonError {
  const place = `${agent.title} has one session per folder, and ${cwd} has session ${sessionName(other)} now`
  return new IonError('refused', place, {
    hint: `ion restore ${id} --replace takes its place; that session is archived and can be restored the same way`,
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

function capturePresent(archive: Archive, { head, reader }: Located): void {
  if (reader.isArchive) return
  const { uncopied } = archive.capture(reader, head)
  archive.save()
  if (uncopied !== undefined) throw notCaptured(uncopied)
}

function printVersions({ id, agent, versions }: BackedUpSession, options: Options, { out }: Context): ExitKind {
  for (const [index, { at, agent_version, parts }] of versions.entries()) {
    const size = parts.reduce((sum, part) => sum + part.size, 0)
    if (options.json) {
      out.write(`${toJsonText({ id, agent, state: index + 1, at, agent_version, bytes: size, parts: parts.length })}\n`)
      continue
    }
    const version = agent_version === null ? '' : `, version ${plain(agent_version)}`
    out.write(
      `${index + 1}  ${minuteOf(new Date(at))}  ${bytes(size)} in ${pluralize(parts.length, 'part')}${version}\n`,
    )
  }
  return 'ok'
}

interface Restored {
  readonly session: BackedUpSession
  readonly version: BackupVersion
  readonly results: readonly RestoreResult[]
  /** The session of the folder that this one has replaced. */
  readonly replaced: SessionHead | undefined
  readonly isAtHome: boolean
  /** Events that the archive has and the restored state does not. */
  readonly missing: EventCount
}

function printResult(restored: Restored, options: Options, { io, out, err }: Context): void {
  const { session, version, results, replaced, isAtHome, missing } = restored
  const { id, agent, title } = session
  const { at } = version
  if (options.json) {
    out.write(
      `${toJsonText({ id, agent, copy_of: at, parts: results, missing_events: missing === 'some' ? null : missing, ...(replaced ? { replaced: replaced.id } : {}) })}\n`,
    )
    return
  }
  const name = `${findAgent(agent).title} ${id} (${plain(title ?? 'untitled')})`
  if (missing !== 0) {
    const more = missing === 'some' ? 'later events' : pluralize(missing, 'more event')
    err.write(`ion: the restored state is older than Ion's archive, which has ${more}: ion show ${id} --archived\n`)
    if (session.versions.length > 1) err.write(`  -> other states: ion restore ${id} --list\n`)
  }
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
  if (replaced) {
    out.write(`  archived session ${plain(sessionName(replaced))}, which was in its place: `)
    out.write(`ion restore ${replaced.id} --replace restores it\n`)
  }
  if (isAtHome) out.write(`open it: ion --resume ${id}\n`)
}
