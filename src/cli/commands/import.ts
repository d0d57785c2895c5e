import { resolve } from 'node:path'
import { findAgent } from '../../agents/find.ts'
import { importState } from '../../archive/agentapi-import.ts'
import { Archive } from '../../archive/archive.ts'
import { type ImportedTrajectory, importTrajectory } from '../../archive/atif/import.ts'
import { checkImportFile } from '../../archive/import-file.ts'
import { type Imported, importLog as importIntoArchive } from '../../archive/import-log.ts'
import type { Located } from '../../catalog/read-session.ts'
import { IonError } from '../../platform/error.ts'
import { bytes, pluralize } from '../../platform/format-count.ts'
import type { Io } from '../../platform/io.ts'
import { toJsonText } from '../../platform/json-text.ts'
import { plain } from '../../platform/plain-text.ts'
import type { Context, Run } from '../command.ts'
import type { importLog } from '../definitions/copies.ts'
import { requireFile } from '../validate.ts'
import { refreshed, withCatalog } from '../with-catalog.ts'

interface CheckedFile {
  readonly file: string
  /** Of the session in a log; what other programs wrote gets an id of its own. */
  readonly id?: string
  importInto(archive: Archive): Imported | ImportedTrajectory
}

/** Checks all files before it imports the first. */
export const run: Run<typeof importLog> = async ([paths], options, context) => {
  const { io } = context
  const agent = options.agent === undefined ? undefined : findAgent(options.agent).id
  const cwd = options.cwd === undefined ? null : resolve(io.cwd, options.cwd)
  const files = paths.map((file) => checkFile(file, agent, cwd, io))
  const stored = await inStores(new Set(files.flatMap(({ id }) => id ?? [])), context)
  const archive = new Archive(io)
  try {
    // An agent's own version of a session comes first: a log may add to it, but not replace it.
    for (const { head, reader } of stored) archive.capture(reader, head, { copy: false })
    for (const { file, importInto } of files) print(file, importInto(archive), options.json, context)
  } finally {
    archive.close()
  }
  return 'ok'
}

function print(file: string, imported: Imported | ImportedTrajectory, json: boolean, { out, err }: Context): void {
  const { start, added, truncated, conflict } = imported
  const { session_id: id, agent, title, forked_from } = start
  const name = `${id} (${plain(title ?? 'untitled')})`
  if (json) {
    const more = conflict ? { conflict: conflict.kind, conflicts_with: conflict.id, forked_from } : {}
    out.write(`${toJsonText({ file, id, agent, added, truncated, ...more, ...furtherJson(imported) })}\n`)
    return
  }
  if (conflict) {
    const why =
      conflict.kind === 'rewrites'
        ? `it changes events of session ${conflict.id} (first: ${plain(conflict.event)}), so it is kept as a fork; ${conflict.id} stays as it is`
        : `session ${conflict.id} is another one with the same id, so it is kept under a new id`
    err.write(`ion: ${plain(file)}: ${why}\n`)
  }
  if (truncated) {
    const { line, bytes: size } = truncated
    const missing = `line ${line} is incomplete and was not imported (${bytes(size)})`
    err.write(`ion: ${plain(file)} is truncated: ${missing}; importing the complete file adds the rest\n`)
  }
  const what =
    added > 0 ? `${pluralize(added, 'new event')} of ${name}` : `nothing new, ${name} is already in the archive`
  out.write(`${plain(file)}: ${what}\n`)
  for (const line of 'subAgents' in imported ? furtherLines(imported) : []) out.write(`  ${plain(line)}\n`)
}

/** Of a document: with its sub-agents, at any depth. */
function withSubAgents(imported: ImportedTrajectory): ImportedTrajectory[] {
  return [imported, ...imported.subAgents.flatMap(withSubAgents)]
}

function furtherJson(imported: Imported | ImportedTrajectory) {
  if (!('subAgents' in imported)) return {}
  const all = withSubAgents(imported)
  const sub_agents = all.slice(1).map(({ start, added }) => ({ id: start.session_id, agent: start.agent, added }))
  return { unknown: unknownIn(all), sub_agents, continued_in: imported.continuedIn }
}

function furtherLines(imported: ImportedTrajectory): string[] {
  const all = withSubAgents(imported)
  const [unknown, subAgents] = [unknownIn(all), all.length - 1]
  return [
    ...(subAgents > 0 ? [`with ${pluralize(subAgents, 'sub-agent session')}: ion sessions --sub-agents`] : []),
    ...(unknown > 0 ? [`${pluralize(unknown, 'record')} that Ion does not know, kept as they are`] : []),
    ...(imported.continuedIn === undefined ? [] : [`it continues in ${imported.continuedIn}: import that file too`]),
  ]
}

function unknownIn(all: readonly ImportedTrajectory[]): number {
  return all.reduce((sum, { unknown }) => sum + unknown, 0)
}

/** Those of the sessions that their agents have, on this machine. */
function inStores(ids: ReadonlySet<string>, context: Context): Located[] | Promise<Located[]> {
  if (ids.size === 0) return []
  return withCatalog(context, (catalog) => {
    refreshed(catalog, context, { extent: 'full' })
    return catalog
      .sessions({ hidden: true, subAgents: true })
      .filter(({ id }) => ids.has(id))
      .map((row) => catalog.locate(row))
      .filter(({ reader }) => !reader.isArchive)
  })
}

function checkFile(file: string, agent: string | undefined, cwd: string | null, io: Io): CheckedFile {
  const path = resolve(io.cwd, file)
  requireFile(path)
  const found = checkImportFile(path, io)
  if (found.kind === 'log') {
    const { log } = found
    return { file, id: log.start.session_id, importInto: (archive) => importIntoArchive(log, archive) }
  }
  if (found.kind === 'trajectory') {
    return { file, importInto: (archive) => importTrajectory(found.trajectory, { path, cwd }, archive) }
  }
  if (agent === undefined) {
    throw new IonError('usage', `${file} is an agentapi chat, which does not name its agent`, {
      hint: `ion import --agent <id> ${file}`,
    })
  }
  return { file, importInto: (archive) => importState(found.state, { agent, cwd }, archive, io) }
}
