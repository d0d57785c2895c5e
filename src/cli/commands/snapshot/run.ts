import { resolve } from 'node:path'
import { agents } from '../../../agents/_registry.ts'
import { findAgent } from '../../../agents/find.ts'
import { ArchiveIndex } from '../../../archive/archive-index.ts'
import { type ExitKind, IonError, messageOf } from '../../../platform/error.ts'
import { tilde } from '../../../platform/home.ts'
import { toJsonText } from '../../../platform/json-text.ts'
import { plain } from '../../../platform/plain-text.ts'
import { version } from '../../../platform/version.ts'
import { writeHint } from '../../../platform/write-hint.ts'
import { createSnapshot, type SnapshotSummary } from '../../../vault/snapshot/create.ts'
import type { ArgumentsOf, Context, OptionsOf, Run } from '../../command.ts'
import type { snapshot } from '../../definitions/copies.ts'
import { progressLine } from '../../progress.ts'
import { refuseOtherOptions } from '../../subcommand-options.ts'
import { bytes, pluralize } from '../../text.ts'
import { requireFile, requireParentFolder } from '../../validate.ts'
import { list, verify } from './inspect.ts'
import { restore } from './restore.ts'

export type SnapshotOptions = OptionsOf<typeof snapshot>

/** The options of each subcommand. */
const allowed: Readonly<Record<ArgumentsOf<typeof snapshot>[0], readonly (keyof SnapshotOptions)[]>> = {
  create: ['agent', 'force', 'json'],
  restore: ['agent', 'to', 'dryRun', 'json'],
  list: ['agent', 'json'],
  verify: ['json'],
}

export const run: Run<typeof snapshot> = async ([subcommand, file, ids], options, context) => {
  const odd = ids.length > 0 && subcommand !== 'restore' ? 'ids' : undefined
  refuseOtherOptions(`snapshot ${subcommand}`, options, allowed[subcommand], odd)
  const path = resolve(context.io.cwd, file)
  if (subcommand === 'create') {
    requireParentFolder(path)
    return create(path, options, context)
  }
  requireFile(path)
  if (subcommand === 'restore') return restore(path, ids, options, context)
  return subcommand === 'list' ? list(path, options, context) : verify(path, options, context)
}

function create(file: string, options: SnapshotOptions, context: Context): ExitKind {
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
  if (options.json) out.write(`${toJsonText({ file, ...created })}\n`)
  else {
    const { sessions, bytes: held, file_bytes } = created
    out.write(`${plain(tilde(file, io))}: ${pluralize(sessions, 'session')}, ${bytes(held)} in ${bytes(file_bytes)}\n`)
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
