import { dirname } from 'node:path'
import { equal, holds } from '../checks.mjs'
import { historyHolds, promptsRead } from '../questions.mjs'
import { hashesBelow, isDatabase, rowsWith } from '../stored.mjs'

/** @typedef {import('../scene.mjs').Scene} Scene @typedef {{ row: Record<string, any>, hashes: Record<string, string>, rows: unknown }} Kept */

/** Programs that unpack themselves, and nothing of a session. */
const CACHES = ['.cache']

/** Ion keeps the only session there is; what the agent has of it is noted. @param {Scene} scene @returns {Promise<Kept>} */
export async function keepSession(scene) {
  const [row] = await scene.sessions()
  if (!row) throw new Error('no session to keep')
  const { code, err } = await scene.ion(['capture', row.id])
  equal(`exit code of ion capture (${err})`, code, 0)
  return { row, hashes: hashesOf(scene, row), rows: rowsOf(row) }
}

/**
 * It is put back as it was, to the byte or to the row, and the agent's own resume knows what was said.
 * @param {Scene} scene @param {Kept} kept @param {string[]} said @param {string} next
 */
export async function comesBack(scene, kept, said, next) {
  const { row, hashes, rows } = kept
  const { code, out, err } = await scene.ion(['restore', row.id, '--json'])
  equal(`exit code of ion restore (${err})`, code, 0)
  const { parts } = /** @type {{ parts: { path: string, act: string, rows?: number }[] }} */ (JSON.parse(out))
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

/** @param {Record<string, string>} from @param {string[]} names */
function pick(from, names) {
  return Object.fromEntries(names.map((name) => [name, from[name] ?? 'not there']))
}

/** In the home, and where the session is, if that is elsewhere. @param {Scene} scene @param {Record<string, any>} row */
function hashesOf(scene, row) {
  return { ...hashesBelow(scene.world.home, CACHES), ...hashesBelow(dirname(row.path)) }
}

/** Undefined for an agent that keeps files. @param {Record<string, any>} row */
function rowsOf(row) {
  return isDatabase(row.path) ? rowsWith(row.path, row.native_id) : undefined
}
