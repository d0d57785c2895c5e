import { resolve } from 'node:path'
import type { Agent } from '../../../agents/agent.ts'
import { findAgent } from '../../../agents/find.ts'
import { Archive } from '../../../archive/archive.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import { type Located, storeAgent } from '../../../catalog/read-session.ts'
import { isProblem } from '../../../events/item.ts'
import type { SessionHead } from '../../../events/session.ts'
import { readContext } from '../../../native/read-context.ts'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import { tilde } from '../../../platform/home.ts'
import { type Io, inHome } from '../../../platform/io.ts'
import { minuteOf } from '../../../platform/local-time.ts'
import { plain } from '../../../platform/plain-text.ts'
import type { BackedUpSession, BackupVersion } from '../../../vault/manifest.ts'
import { type RestoreResult, restore } from '../../../vault/restore.ts'
import { Vault } from '../../../vault/vault.ts'
import type { Context, Options } from '../../command.ts'
import { findFresh } from '../../find-session.ts'
import { pluralize } from '../../pluralize.ts'
import { bytes } from '../../text.ts'
import { withCatalog } from '../../with-catalog.ts'

export async function run(args: readonly unknown[], options: Options, context: Context): Promise<ExitKind> {
  return withCatalog(context, (catalog) => restoreOne(catalog, args[0] as string, options, context))
}

function restoreOne(catalog: Catalog, reference: string, options: Options, context: Context): ExitKind {
  const { io } = context
  const located = catalog.locate(findFresh(catalog, reference, context))
  const { head } = located
  const agent = findAgent(head.agent)
  const kept = new Vault(io).find(agent, head.id)
  if (!kept) throw noCopy(agent, head.id)
  if (options.list) return tellStates(kept, options, context)
  const version = chosen(kept, options.state)
  const target = typeof options.to === 'string' ? inHome(resolve(io.cwd, options.to), io) : io
  // Nobody else writes the vault while it is read, and what is to be replaced is kept first.
  const archive = new Archive(io)
  try {
    if (options.replace && target === io) {
      keepPresent(archive, located)
      keepNeighbours(archive, agent, head, io)
    }
    const vault = new Vault(io)
    const replace = options.replace === true
    const order = { ...kept, agent, parts: version.parts, content: vault.content.bind(vault), io: target, replace }
    const restored = restore(order)
    tell(kept, version, restored, options, context, target === io)
    return 'ok'
  } finally {
    archive.close()
  }
}

function noCopy(agent: Agent, id: string): IonError {
  const short = id.slice(0, 8)
  return new IonError('not-found', `there is no exact copy of session ${short} of ${agent.title}`, {
    hint: `ion capture ${short} makes one while the agent still has it; its text: ion show ${short}, ion export ${short}`,
  })
}

function chosen({ versions }: BackedUpSession, state: Options[string]): BackupVersion {
  if (state === undefined) return versions.at(-1)!
  const version = /^[1-9]\d*$/.test(String(state)) ? versions[Number(state) - 1] : undefined
  if (version) return version
  throw new IonError('usage', `there is no state "${plain(String(state))}" of this session`, {
    hint: `a number from 1 to ${versions.length}: ion restore <id> --list`,
  })
}

function keepPresent(archive: Archive, located: Located): void {
  const agent = storeAgent(located)
  if (agent.isArchive) return
  const { uncopied } = archive.capture(agent, located.head)
  archive.save()
  if (uncopied !== undefined) throw notKept(uncopied)
}

/** Some agents have one place for all sessions of a folder, so that another one may stand where this one is put. */
function keepNeighbours(archive: Archive, agent: Agent, { id, cwd }: SessionHead, io: Io): void {
  const reading = readContext(io)
  for (const source of agent.sources(reading)) {
    if (isProblem(source)) continue
    for (const other of agent.heads(source, reading)) {
      if (isProblem(other) || other.id === id || other.cwd !== cwd) continue
      const { uncopied } = archive.capture(agent, other)
      if (uncopied !== undefined) throw notKept(uncopied)
    }
  }
  archive.save()
}

function notKept(why: string): IonError {
  return new IonError('refused', `what is there now cannot be kept: ${why}`, { hint: 'mend that, and try again' })
}

function tellStates({ id, agent, versions }: BackedUpSession, options: Options, { out }: Context): ExitKind {
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

function tell(
  { id, agent, title }: BackedUpSession,
  { at }: BackupVersion,
  restored: readonly RestoreResult[],
  options: Options,
  { io, out }: Context,
  isAtHome: boolean,
): void {
  if (options.json) {
    out.write(`${JSON.stringify({ id, agent, copy_of: at, parts: restored })}\n`)
    return
  }
  const name = `${findAgent(agent).title} ${id.slice(0, 8)} (${plain(title ?? 'untitled')})`
  const done = restored.filter(({ act }) => act !== 'same')
  if (done.length === 0) {
    out.write(`${name} is there, as it was kept ${minuteOf(new Date(at))}: nothing to do\n`)
    return
  }
  out.write(`put back ${name}, as it was ${minuteOf(new Date(at))}\n`)
  for (const { act, path, rows } of done) {
    out.write(`  ${act} ${plain(tilde(path, io))}${rows === undefined ? '' : ` (${pluralize(rows, 'row')})`}\n`)
  }
  const same = restored.length - done.length
  if (same > 0) out.write(`  ${pluralize(same, 'part')} ${same === 1 ? 'was' : 'were'} there already\n`)
  if (isAtHome) out.write(`open it: ion --resume ${id.slice(0, 8)}\n`)
}
