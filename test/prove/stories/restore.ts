import { dirname } from 'node:path'
import type { SessionRow } from '../../../src/catalog/session-row.ts'
import { equal, holds } from '../checks.ts'
import { historyHolds, promptsRead } from '../questions.ts'
import type { Scene } from '../scene.ts'
import { hashesBelow, isDatabase, rowsWith } from '../stored.ts'

export type Kept = { row: SessionRow; hashes: Record<string, string>; rows: unknown }

/** Unpacked programs; no part of a session. */
const CACHES = ['.cache']

/** Ion keeps the only session there is; what the agent has of it is noted. */
export async function keepSession(scene: Scene): Promise<Kept> {
  const [row] = await scene.sessions()
  if (!row) throw new Error('no session to keep')
  const { code, err } = await scene.ion(['capture', row.id])
  equal(`exit code of ion capture (${err})`, code, 0)
  return { row, hashes: hashesOf(scene, row), rows: rowsOf(row) }
}

/** It is restored exactly, to the byte or to the row, and the agent's own resume sends the history. */
export async function comesBack(scene: Scene, kept: Kept, said: string[], next: string) {
  const { row, hashes, rows } = kept
  const { code, out, err } = await scene.ion(['restore', row.id, '--json'])
  equal(`exit code of ion restore (${err})`, code, 0)
  const { parts } = JSON.parse(out) as { parts: { path: string; act: string; rows?: number }[] }
  const written = parts.filter(({ act }) => act === 'written')
  holds('nothing was written', written.length > 0, parts)
  const now = hashesOf(scene, row)
  const files = written.filter((part) => part.rows === undefined).map(({ path }) => path)
  equal('hashes of the files', pick(now, files), pick(hashes, files))
  equal('rows', rowsOf(row), rows)
  const turn = await scene.ion(['run', scene.subject.agent, '--headless', '--send', next])
  equal(`exit code of the next turn (${turn.err})`, turn.code, 0)
  historyHolds(scene, ...said, next)
  equal('prompts', await promptsRead(scene), [[...said, next]])
}

function pick(from: Record<string, string>, names: string[]) {
  return Object.fromEntries(names.map((name) => [name, from[name] ?? 'not there']))
}

/** In the home, and where the session is, if that is outside of the home. */
function hashesOf(scene: Scene, row: SessionRow) {
  return { ...hashesBelow(scene.world.home, CACHES), ...hashesBelow(dirname(row.path)) }
}

/** Undefined for an agent that keeps files. */
function rowsOf(row: SessionRow) {
  return isDatabase(row.path) ? rowsWith(row.path, row.native_id) : undefined
}
