import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Catalog } from '../../../catalog/catalog.ts'
import { messageOf } from '../../../platform/error.ts'
import { ionHome, tilde } from '../../../platform/home.ts'
import type { Io } from '../../../platform/io.ts'
import { bad, type Check, ok, warn } from './check.ts'

const OLDEST_NODE = [20, 19] as const
/** Node 20 gets no fixes since April 2026. */
const SUPPORTED_NODE = 22
const CLOCK_SLACK_MS = 5 * 60_000

/** What concerns Ion and the machine, not an agent. */
export function machineChecks(catalog: Catalog, io: Io): Check[] {
  return [...baseChecks(io), clockCheck(catalog, io)]
}

/** Without these there is no catalogue, and nothing else can be looked at. */
export function baseChecks(io: Io): Check[] {
  return [nodeCheck(), homeCheck(io)]
}

function nodeCheck(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const version = `Node ${process.versions.node}`
  const [oldMajor, oldMinor] = OLDEST_NODE
  if (major < oldMajor || (major === oldMajor && minor < oldMinor)) {
    return bad('Node', `${version} is too old`, `install Node ${oldMajor}.${oldMinor} or newer`)
  }
  if (major < SUPPORTED_NODE)
    return warn('Node', `${version} works, but gets no more fixes`, 'install Node 22 or newer')
  return ok('Node', version)
}

function homeCheck(io: Io): Check {
  const path = ionHome(io)
  const shown = tilde(path, io)
  let there = path
  while (!existsSync(there) && dirname(there) !== there) there = dirname(there)
  try {
    if (!statSync(there).isDirectory()) throw new Error(`${tilde(there, io)} is a file`)
    accessSync(there, constants.R_OK | constants.W_OK | constants.X_OK)
    if (there !== path) return ok('Ion home', `${shown} (made when needed)`)
    const open = statSync(path).mode & 0o077
    if (open) return warn('Ion home', `${shown} can be entered by other users`, `chmod 700 ${path}`)
    return ok('Ion home', shown)
  } catch (error) {
    return bad('Ion home', `${shown}: ${messageOf(error)}`, 'set ION_HOME to a folder that you may write to')
  }
}

/** A session from the future means that a clock was wrong; lists and retention go by it. */
function clockCheck(catalog: Catalog, io: Io): Check {
  const newest = catalog.sessions({ limit: 1, hidden: true, subAgents: true })[0]
  const ahead = newest?.updated_at ? Date.parse(newest.updated_at) - io.now().getTime() : 0
  if (ahead <= CLOCK_SLACK_MS) return ok('clock', io.now().toISOString())
  return warn(
    'clock',
    `session ${newest!.id} is from ${newest!.updated_at}, which is in the future`,
    'set the clock of this machine, or of the one that the session came from',
  )
}
