import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Agent, Source } from '../agents/agent.ts'
import type { SourceError } from '../catalog/catalog.ts'
import { isProblem } from '../events/item.ts'
import { readContext } from '../native/read-context.ts'
import { messageOf } from '../platform/error.ts'
import { bytes } from '../platform/format-count.ts'
import { tilde } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { bad, type Check, ok, warn } from './check.ts'

/** A WAL of this size has not been checkpointed for long: copies without it lose much. */
const LARGE_WAL = 64e6

/** An agent's data: readable, private, intact, with free disk space, and in one place only. */
export function storeChecks(agent: Agent, troubles: readonly SourceError[], io: Io): Check[] {
  const places = agent.paths(io).filter(({ path }) => existsSync(path))
  return [
    ...places.map(({ path }) => dataCheck(agent, path, io)),
    ...places.slice(0, 1).map(({ path }) => diskCheck(agent, path, io)),
    ...(places.length > 0 ? [...sidecarChecks(agent, io), ...copyCheck(agent, io)] : []),
    ...troubles
      .filter((trouble) => trouble.agent === agent.id)
      .map((trouble) => bad('unreadable', `${tilde(trouble.path, io)}: ${trouble.problem}`, fixFor(trouble), agent.id)),
  ]
}

function dataCheck(agent: Agent, path: string, io: Io): Check {
  const shown = tilde(path, io)
  try {
    const stat = statSync(path)
    accessSync(path, stat.isDirectory() ? constants.R_OK | constants.X_OK : constants.R_OK)
    if (stat.mode & 0o022) return warn('data', `${shown} is writable by other users`, `chmod go-w ${path}`, agent.id)
    return ok('data', shown, agent.id)
  } catch (error) {
    return bad('data', `${shown}: ${messageOf(error)}`, `chmod u+rX ${path}`, agent.id)
  }
}

function diskCheck(agent: Agent, path: string, io: Io): Check {
  const { bavail, bsize } = statfsSync(existsSync(path) ? path : dirname(path))
  const free = bavail * bsize
  const detail = `${bytes(free)} free, ${agent.title} needs about ${bytes(agent.minimumBytes)}`
  if (free >= agent.minimumBytes) return ok('disk space', detail, agent.id)
  return bad('disk space', detail, `free disk space on the volume of ${tilde(path, io)}`, agent.id)
}

/** The contents of a WAL are lost when the database is copied without it. */
function sidecarChecks(agent: Agent, io: Io): Check[] {
  const wals = [...agent.sources(readContext(io))]
    .filter((source): source is Source => !isProblem(source))
    .flatMap((source) => source.files)
    .filter((file) => file.path.endsWith('-wal') && file.size > 0)
  const large = wals.filter((file) => file.size > LARGE_WAL)
  if (wals.length === 0) return []
  const names = (large.length ? large : wals).slice(0, 3).map((file) => `${tilde(file.path, io)} (${bytes(file.size)})`)
  const detail = `sessions not yet in the main database file: ${names.join(', ')}`
  if (large.length === 0) return [ok('WAL', `${detail}: always copy it together with its database`, agent.id)]
  const fix = `quit ${agent.title} normally once, and never copy the database without its -wal file`
  return [warn('WAL', detail, fix, agent.id)]
}

/** A variable moves the data, but the default location has sessions too: the agent sees only one of them. */
function copyCheck(agent: Agent, io: Io): Check[] {
  const usual = agent.paths({ ...io, env: { HOME: io.home } }).map(({ path }) => path)
  const here = agent.paths(io)
  const moved = here.filter(({ path }) => !usual.includes(path))
  const left = usual.filter((path) => existsSync(path) && !here.some((entry) => entry.path === path))
  if (moved.length === 0 || left.length === 0) return []
  const variables = [...new Set(moved.flatMap(({ env }) => env))].filter((name) => io.env[name])
  return [
    warn(
      'two stores',
      `${variables.join(', ')} moves the data to ${tilde(moved[0]!.path, io)}, but ${tilde(left[0]!, io)} exists too`,
      `unset ${variables.join(' ')} to use the default location`,
      agent.id,
    ),
  ]
}

function fixFor({ code, errno, path }: SourceError): string {
  if (errno === 'EACCES' || errno === 'EPERM') return `chmod u+r ${path}`
  if (code === 'damaged') return 'restore it from a backup; sessions that Ion has read stay in the index until then'
  if (code === 'locked') return 'close the program that has it open, then: ion reindex'
  if (code === 'not_regular_file') return `move ${path} to another place`
  return 'try again: ion reindex'
}
