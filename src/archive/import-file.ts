import { parseLines } from '../native/line-window.ts'
import { readContext } from '../native/read-context.ts'
import { readRegularFile } from '../native/regular-file.ts'
import { readHead } from '../native/window.ts'
import { IonError, messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { toState } from './agentapi-import.ts'
import type { AgentapiState } from './agentapi-state.ts'
import type { Trajectory } from './atif/document.ts'
import { toTrajectory } from './atif/import.ts'
import { type CheckedLog, checkLog } from './checked-log.ts'

/** What a file has that can be imported. All of it was checked. */
export type ImportFile =
  | { readonly kind: 'log'; readonly log: CheckedLog }
  | { readonly kind: 'chat'; readonly state: AgentapiState }
  | { readonly kind: 'trajectory'; readonly trajectory: Trajectory }

/** Throws if anything in the file is wrong, with where and what. */
export function checkImportFile(path: string, io: Io): ImportFile {
  const value = readJson(path, io)
  const state = toState(value, path)
  if (state) return { kind: 'chat', state }
  const trajectory = toTrajectory(value, path)
  if (trajectory) return { kind: 'trajectory', trajectory }
  return { kind: 'log', log: checkLog(path, io) }
}

const HEAD = 64 * 1024

/** The value of a JSON file; undefined for a file of lines, which may be larger than memory. */
function readJson(path: string, io: Io): unknown {
  try {
    const [first] = parseLines(readHead(path, HEAD, readContext(io)), 'head')
    if (first?.type === 'session_start') return undefined
    return JSON.parse(readRegularFile(path).toString('utf8'))
  } catch (error) {
    // Reading it as a log says what is wrong with any other file.
    if (!path.endsWith('.json')) return undefined
    throw new IonError('usage', `${path} is not valid JSON: ${messageOf(error)}; nothing was imported`, {
      cause: error,
      hint: 'give an ATIF document, a state file of agentapi, or a log (.jsonl) of ion export',
    })
  }
}
