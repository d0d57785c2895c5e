import { findAgent } from '../../../agents/find.ts'
import { shortIdsAmong } from '../../../catalog/short-id.ts'
import type { ExitKind } from '../../../platform/error.ts'
import { bytes, pluralize } from '../../../platform/format-count.ts'
import { toJsonText } from '../../../platform/json-text.ts'
import { minuteOf } from '../../../platform/local-time.ts'
import { plain } from '../../../platform/plain-text.ts'
import { bytesOf, type SnapshotSession } from '../../../vault/snapshot/format.ts'
import { damagedSnapshot } from '../../../vault/snapshot/restore.ts'
import { type VerifyResult, verifySnapshot } from '../../../vault/snapshot/verify.ts'
import { palette } from '../../colour.ts'
import type { Context } from '../../command.ts'
import { shownIds } from '../../short-id.ts'
import { type Column, table } from '../../table.ts'
import { outputWidth } from '../../terminal.ts'
import { ago, oneLine } from '../../text.ts'
import type { SnapshotOptions } from './run.ts'
import { nameOf, type SnapshotFile } from './snapshot-file.ts'

/** Lists the sessions of a snapshot. Problems are reported, but do not stop the list. */
export async function list(file: SnapshotFile, options: SnapshotOptions, context: Context): Promise<ExitKind> {
  const { io, out, err } = context
  const verified = await verifySnapshot(file.path)
  if (!verified.header) throw damagedSnapshot(file.address ?? file.path, verified.problems)
  const sessions = selectSessions(verified, options)
  if (options.json) for (const session of sessions) out.write(`${toJsonText(lineOf(session))}\n`)
  else if (sessions.length > 0) out.write(`${sessionTable(sessions, verified, context).join('\n')}\n`)
  const { created_at, home, platform, ion_version } = verified.header
  const when = minuteOf(new Date(created_at))
  const about = `${pluralize(sessions.length, 'session')}, taken ${when} in ${home} (${platform}, Ion ${ion_version})`
  err.write(`${palette(err).faint(oneLine(about))}\n`)
  return reportProblems(verified, context, nameOf(file, io))
}

export async function verify(file: SnapshotFile, options: SnapshotOptions, context: Context): Promise<ExitKind> {
  const { io, out } = context
  const verified = await verifySnapshot(file.path)
  const { sessions, problems } = verified
  const size = sessions.reduce((sum, session) => sum + bytesOf(session), 0)
  if (options.json) {
    out.write(
      `${toJsonText({ file: file.address ?? file.path, ok: problems.length === 0, sessions: sessions.length, bytes: size, problems })}\n`,
    )
    return problems.length > 0 ? 'failed' : 'ok'
  }
  if (problems.length === 0) {
    const held = `${pluralize(sessions.length, 'session')}, ${bytes(size)}`
    out.write(`${plain(nameOf(file, io))} is intact: ${held}, all checksums match\n`)
  }
  return reportProblems(verified, context, nameOf(file, io))
}

const MAX_REPORTED = 20

function reportProblems({ problems }: VerifyResult, { err }: Context, file: string): ExitKind {
  for (const problem of problems.slice(0, MAX_REPORTED)) err.write(`ion: ${plain(file)}: ${plain(problem)}\n`)
  if (problems.length > MAX_REPORTED) err.write(`ion: and ${problems.length - MAX_REPORTED} more\n`)
  if (problems.length > 0) err.write(`${palette(err).faint('  ->')} use another copy of the snapshot\n`)
  return problems.length > 0 ? 'failed' : 'ok'
}

/** The sessions of the given agents. A snapshot may have agents that this version of Ion does not know. */
export function selectSessions({ sessions }: VerifyResult, options: SnapshotOptions): SnapshotSession[] {
  if (options.agent.length === 0) return [...sessions]
  const ids = options.agent.map((name) => (sessions.some(({ agent }) => agent === name) ? name : findAgent(name).id))
  return sessions.filter(({ agent }) => ids.includes(agent))
}

function lineOf(session: SnapshotSession): object {
  const { parts, ...rest } = session
  return { ...rest, bytes: bytesOf(session), parts: parts.length }
}

function sessionTable(
  sessions: readonly SnapshotSession[],
  { sessions: all }: VerifyResult,
  { io, out }: Context,
): string[] {
  const colours = palette(out)
  // Unique in the file, whichever agents are listed.
  const idOf = shownIds(all, { shortIds: shortIdsAmong }, out)
  const columns: Column<SnapshotSession>[] = [
    { title: 'agent', value: (row) => oneLine(row.agent), paint: colours.accent, dropOrder: 1 },
    { title: 'id', value: (row) => oneLine(idOf(row)), paint: colours.faint },
    { title: 'age', value: (row) => ago(row.updated_at, io.now()), align: 'right', dropOrder: 2 },
    { title: 'size', value: (row) => bytes(bytesOf(row)), align: 'right' },
    { title: 'title', value: (row) => oneLine(row.title ?? '') || '-', shrinkTo: 16 },
    { title: 'path', value: (row) => oneLine(row.cwd ?? '-'), paint: colours.faint, shrinkTo: 16, dropOrder: 3 },
  ]
  return table(columns, sessions, outputWidth({ io, out }), colours)
}
