import { agents } from '../../../agents/_registry.ts'
import { findAgent } from '../../../agents/find.ts'
import { type ExitKind, IonError, messageOf } from '../../../platform/error.ts'
import { tilde } from '../../../platform/home.ts'
import { plain } from '../../../platform/plain-text.ts'
import { createSnapshot, type SnapshotSummary } from '../../../vault/snapshot/create.ts'
import type { Context, Options } from '../../command.ts'
import { pluralize } from '../../pluralize.ts'
import { progressLine } from '../../progress.ts'
import { bytes } from '../../text.ts'
import { version } from '../../version.ts'

export function create(file: string, options: Options, context: Context): ExitKind {
  const { io, out, err } = context
  const named = (options.agent as readonly string[] | undefined)?.map((name) => findAgent(name))
  const wanted = (named ?? agents).filter((agent) => !agent.isArchive)
  const progress = progressLine(context)
  const order = {
    file,
    agents: [...new Set(wanted)],
    ionVersion: version,
    force: options.force === true,
    onSession: (done: number, total: number) => progress.onProgress({ phase: 'taking sessions', done, total }),
  }
  let created: SnapshotSummary
  try {
    created = createSnapshot(order, io)
  } catch (error) {
    throw error instanceof IonError ? error : unwritten(file, error)
  } finally {
    progress.clear()
  }
  if (options.json) out.write(`${JSON.stringify({ file, ...created })}\n`)
  else {
    const { sessions, bytes: held, file_bytes } = created
    out.write(`${plain(tilde(file, io))}: ${pluralize(sessions, 'session')}, ${bytes(held)} in ${bytes(file_bytes)}\n`)
  }
  for (const { agent, sessions } of created.cannot) {
    err.write(
      `ion: not in it: ${pluralize(sessions, 'session')} of ${findAgent(agent).title}, which cannot be put back\n`,
    )
  }
  for (const { agent, id, reason } of created.left_out) {
    err.write(`ion: not in it: ${agent}${id === null ? '' : ` ${id}`}: ${plain(reason)}\n`)
  }
  return created.left_out.length > 0 ? 'failed' : 'ok'
}

function unwritten(file: string, cause: unknown): IonError {
  return new IonError('failed', `the snapshot cannot be written: ${messageOf(cause)}`, {
    cause,
    hint: `make room or allow writing for ${file}; nothing is left of it`,
  })
}
