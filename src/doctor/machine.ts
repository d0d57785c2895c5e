import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { marksPath, readMarksFile } from '../organise/read-marks.ts'
import { messageOf } from '../platform/error.ts'
import { findExecutable } from '../platform/executable.ts'
import { bytes, pluralize } from '../platform/format-count.ts'
import { ionHome, tilde } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { promptChannel } from '../run/prompt-channel.ts'
import { bad, type Check, ok, warn } from './check.ts'

const OLDEST_NODE = [20, 19] as const
/** Node 20 has had no updates since April 2026. */
const SUPPORTED_NODE = 22
const CLOCK_SLACK_MS = 5 * 60_000

/** Checks of Ion and the machine, not of an agent. */
export function machineChecks(catalog: Catalog, io: Io): Check[] {
  return [nodeCheck(), homeCheck(catalog, io), ...indexCheck(catalog), ...marksCheck(io), clockCheck(catalog, io)]
}

/** Nothing is lost: commands that only read then do so in memory. */
function indexCheck(catalog: Catalog): Check[] {
  const unusable = catalog.unusable()
  if (!unusable) return []
  const fix = `${unusable.hint}; until then lists and searches are slow`
  return [bad('index', `cannot be written: ${unusable.reason}`, fix)]
}

/** Other than the index, the file of names, tags, pins and notes cannot be rebuilt. */
function marksCheck(io: Io): Check[] {
  const { problem, badLines } = readMarksFile(io)
  const path = marksPath(io)
  if (problem !== undefined) {
    return [bad('names and tags', `cannot be read: ${problem}`, `check the permissions of ${tilde(path, io)}`)]
  }
  if (badLines === 0) return []
  const fix = `nothing else is affected; remove the lines of ${tilde(path, io)} that are not JSON`
  return [warn('names and tags', `${pluralize(badLines, 'line')} could not be read`, fix)]
}

function nodeCheck(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const version = `Node ${process.versions.node}`
  const [oldMajor, oldMinor] = OLDEST_NODE
  if (major < oldMajor || (major === oldMajor && minor < oldMinor)) {
    return bad('Node', `${version} is too old`, `install Node ${oldMajor}.${oldMinor} or newer`)
  }
  if (major < SUPPORTED_NODE)
    return warn('Node', `${version} works, but no longer gets security updates`, 'install Node 22 or newer')
  return ok('Node', version)
}

function homeCheck(catalog: Catalog, io: Io): Check {
  const path = ionHome(io)
  const shown = tilde(path, io)
  let existing = path
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing)
  try {
    if (!statSync(existing).isDirectory()) throw new Error(`${tilde(existing, io)} is a file`)
    accessSync(existing, constants.R_OK | constants.W_OK | constants.X_OK)
    const free = freeBytes(existing)
    if (free !== undefined && free < MIN_FREE_BYTES) {
      return bad(
        'Ion home',
        `${shown}: the disk is full (${bytes(free)} free)`,
        'free disk space there, or set ION_HOME',
      )
    }
    // Opening the index creates it, if it can be created.
    if (existing !== path && catalog.unusable()) throw new Error('cannot be created')
    if (existing !== path) return ok('Ion home', `${shown} (created when needed)`)
    if (statSync(path).mode & 0o077)
      return warn('Ion home', `${shown} is accessible to other users`, `chmod 700 ${path}`)
    return ok('Ion home', shown)
  } catch (error) {
    return bad('Ion home', `${shown}: ${messageOf(error)}`, 'set ION_HOME to a folder that you can write to')
  }
}

/** Below this, not even a small index can be written. */
const MIN_FREE_BYTES = 1e6

function freeBytes(path: string): number | undefined {
  const { bavail, bsize, blocks } = statfsSync(path)
  // Some file systems have no size.
  return blocks === 0 ? undefined : bavail * bsize
}

/** Of an agent that was asked for. Its sessions can be read without it. */
export function programCheck({ id, binaries, install, isArchive }: Agent, io: Io): Check[] {
  if (isArchive) return []
  const program = findExecutable(binaries, io)
  if (program !== undefined) return [ok('program', tilde(program, io), id)]
  return [warn('program', `not installed: no "${binaries[0]}" on the PATH`, install, id)]
}

/** Arguments of programs are in the process list. Without a terminal no agent gets its prompt that way. */
export function promptCheck(installed: readonly Agent[], whyHidden: string | undefined, io: Io): Check {
  const visible = installed.filter((agent) => promptChannel(agent, 'terminal', io) === 'argument')
  if (visible.length === 0) return ok('prompts', 'no other user can read them')
  const which = `${visible.map(({ title }) => title).join(', ')} ${visible.length === 1 ? 'gets' : 'get'} a prompt as an argument`
  if (whyHidden !== undefined) return ok('prompts', `${which}, but no other user can read it: ${whyHidden}`)
  return warn(
    'prompts',
    `${which} in a terminal and with --detach, so other users of this machine can read it while the agent runs`,
    'use --headless for secrets, or mount /proc with hidepid=2',
  )
}

/** A session from the future means that a clock was wrong; lists and retention depend on it. */
function clockCheck(catalog: Catalog, io: Io): Check {
  const newest = catalog.sessions({ limit: 1, hidden: true, subAgents: true })[0]
  const ahead = newest?.updated_at ? Date.parse(newest.updated_at) - io.now().getTime() : 0
  if (ahead <= CLOCK_SLACK_MS) return ok('clock', io.now().toISOString())
  return warn(
    'clock',
    `session ${newest!.id} has a time in the future: ${newest!.updated_at}`,
    'correct the clock of this machine, or of the one the session came from',
  )
}
