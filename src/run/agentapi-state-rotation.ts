import { createHash } from 'node:crypto'
import {
  type AgentapiState,
  hasFewerMessages,
  isContinuation,
  messagesOf,
  parseState,
} from '../archive/agentapi-state.ts'
import { readRegularFile } from '../native/regular-file.ts'
import { replaceFile } from '../platform/atomic-file.ts'
import { messageOf } from '../platform/error.ts'
import type { Agentapi } from './agentapi.ts'

/**
 * agentapi overwrites its state even if it could not load it: after a failed start, a chat of weeks is reduced to one
 * screen. So Ion keeps the last good state next to it, and restores it. A failure here does not fail the run.
 */

/** Before agentapi starts. Returns notices for the user. */
export function restoreChat(agentapi: Agentapi): string[] {
  return runSteps(agentapi, [save, restore])
}

/** After agentapi has ended. */
export function saveChat(agentapi: Agentapi): string[] {
  return runSteps(agentapi, [save])
}

type Step = (stateFile: string, previousFile: string) => string | undefined

function runSteps({ stateFile, persist }: Agentapi, steps: readonly Step[]): string[] {
  if (!persist) return []
  try {
    return steps.flatMap((step) => step(stateFile, named(stateFile, 'previous')) ?? [])
  } catch (error) {
    return [`the chat of agentapi could not be saved: ${messageOf(error)}`]
  }
}

const save: Step = (stateFile, previousFile) => {
  const [now, saved] = [readState(stateFile), readState(previousFile)]
  if (!now?.state || (saved && now.bytes.equals(saved.bytes))) return undefined
  if (saved?.state && hasFewerMessages(now.state, saved.state)) return undefined
  // As many messages, but different ones: the previous chat must not be lost either.
  const backup = saved?.state && !isContinuation(now.state, saved.state) ? backUp(stateFile, saved.bytes) : undefined
  replaceFile(previousFile, now.bytes)
  return backup && `agentapi started another chat; the previous one is in ${backup}`
}

const restore: Step = (stateFile, previousFile) => {
  const [now, saved] = [readState(stateFile), readState(previousFile)]
  // agentapi never deletes the file, so if it is missing somebody deleted it on purpose.
  if (!now || !saved?.state) return undefined
  if (now.state && !hasFewerMessages(now.state, saved.state)) return undefined
  const backup = backUp(stateFile, now.bytes)
  replaceFile(stateFile, saved.bytes)
  const all = messagesOf(saved.state).length
  const left = now.state ? `${messagesOf(now.state).length} of ${all} messages` : 'a damaged chat'
  return `agentapi left ${left}: restored the last good chat; what it left is in ${backup}`
}

interface StateFile {
  readonly bytes: Buffer
  /** Undefined if it cannot be parsed. */
  readonly state: AgentapiState | undefined
}

function readState(path: string): StateFile | undefined {
  let bytes: Buffer
  try {
    bytes = readRegularFile(path)
  } catch {
    return undefined
  }
  try {
    return { bytes, state: parseState(JSON.parse(bytes.toString('utf8'))) }
  } catch {
    return { bytes, state: undefined }
  }
}

/** Named by content, so that the same state is not saved twice. */
function backUp(stateFile: string, bytes: Buffer): string {
  const path = named(stateFile, createHash('sha256').update(bytes).digest('hex').slice(0, 8))
  replaceFile(path, bytes)
  return path
}

function named(stateFile: string, suffix: string): string {
  return stateFile.replace(/\.json$/, `.${suffix}.json`)
}
