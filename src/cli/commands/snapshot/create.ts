import { agents } from '../../../agents/_registry.ts'
import { findAgent } from '../../../agents/find.ts'
import { ArchiveIndex } from '../../../archive/archive-index.ts'
import { type ExitKind, IonError, messageOf } from '../../../platform/error.ts'
import { bytes, pluralize } from '../../../platform/format-count.ts'
import { toJsonText } from '../../../platform/json-text.ts'
import { plain } from '../../../platform/plain-text.ts'
import { version } from '../../../platform/version.ts'
import { writeHint } from '../../../platform/write-hint.ts'
import { createSnapshot, type SnapshotSummary } from '../../../vault/snapshot/create.ts'
import type { Context } from '../../command.ts'
import { progressLine } from '../../progress.ts'
import type { SnapshotOptions } from './run.ts'
import { nameOf, type SnapshotFile } from './snapshot-file.ts'

/** Writes the snapshot. `store`: what else is done with the file before it is reported. */
export async function create(
  { path: file, address }: SnapshotFile,
  options: SnapshotOptions,
  context: Context,
  store: () => Promise<void> = async () => {},
): Promise<ExitKind> {
  const { io, out, err } = context
  const named = options.agent.length > 0 ? options.agent.map(findAgent) : agents
  const progress = progressLine(context)
  const request = {
    file,
    agents: [...new Set(named)].filter((agent) => !agent.isArchive),
    archived: new ArchiveIndex(io).archived(),
    ionVersion: version,
    force: options.force,
    onSession: (done: number, total: number) => progress.onProgress({ phase: 'saving sessions', done, total }),
  }
  let created: SnapshotSummary
  try {
    created = createSnapshot(request, io)
  } catch (error) {
    throw error instanceof IonError ? error : cannotWrite(file, error)
  } finally {
    progress.clear()
  }
  await store()
  if (options.json) out.write(`${toJsonText({ file: address ?? file, ...created })}\n`)
  else {
    const { sessions, bytes: held, file_bytes } = created
    const name = plain(nameOf({ path: file, address }, io))
    out.write(`${name}: ${pluralize(sessions, 'session')}, ${bytes(held)} in ${bytes(file_bytes)}\n`)
  }
  for (const { agent, sessions } of created.cannot) {
    const what = `${pluralize(sessions, 'session')} of ${findAgent(agent).title}`
    err.write(`ion: left out: ${what}, which cannot be restored\n`)
  }
  if (created.only_in_archive > 0) {
    const what = `${pluralize(created.only_in_archive, 'session')} only in Ion's archive`
    err.write(`ion: left out: ${what}; ion restore brings one back into its agent's store\n`)
  }
  for (const { agent, id, reason } of created.left_out) {
    err.write(`ion: left out: ${agent}${id === null ? '' : ` ${id}`}: ${plain(reason)}\n`)
  }
  return created.left_out.length > 0 ? 'failed' : 'ok'
}

function cannotWrite(file: string, cause: unknown): IonError {
  return new IonError('failed', `the snapshot cannot be written: ${messageOf(cause)}`, {
    cause,
    hint: `${writeHint(cause, file, 'give another file')}; the incomplete file was removed`,
  })
}
