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
 * agentapi writes its state whatever it could load before: after a start that failed, a chat of weeks is one screen. So
 * the last good state is kept beside it, and put back. Nothing that goes wrong with it is the run's business.
 */

/** Before agentapi starts. Returns what the user should know. */
export function chatBeforeStart(agentapi: Agentapi): string[] {
  return told(agentapi, [keep, putBack])
}

/** After it has ended. */
export function chatAfterEnd(agentapi: Agentapi): string[] {
  return told(agentapi, [keep])
}

type Step = (stateFile: string, previousFile: string) => string | undefined

function told({ stateFile, persist }: Agentapi, steps: readonly Step[]): string[] {
  if (!persist) return []
  try {
    return steps.flatMap((step) => step(stateFile, named(stateFile, 'previous')) ?? [])
  } catch (error) {
    return [`the chat of agentapi could not be kept: ${messageOf(error)}`]
  }
}

const keep: Step = (stateFile, previousFile) => {
  const [now, kept] = [lookAt(stateFile), lookAt(previousFile)]
  if (!now?.state || (kept && now.bytes.equals(kept.bytes))) return undefined
  if (kept?.state && hasFewerMessages(now.state, kept.state)) return undefined
  // Not fewer messages, but others: the chat before has its words too.
  const aside = kept?.state && !isContinuation(now.state, kept.state) ? setAside(stateFile, kept.bytes) : undefined
  replaceFile(previousFile, now.bytes)
  return aside && `agentapi began another chat; the one before is in ${aside}`
}

const putBack: Step = (stateFile, previousFile) => {
  const [now, kept] = [lookAt(stateFile), lookAt(previousFile)]
  // One that is not there was taken away by somebody: agentapi does not.
  if (!now || !kept?.state) return undefined
  if (now.state && !hasFewerMessages(now.state, kept.state)) return undefined
  const aside = setAside(stateFile, now.bytes)
  replaceFile(stateFile, kept.bytes)
  const whole = messagesOf(kept.state).length
  const left = now.state ? `${messagesOf(now.state).length} of ${whole} messages` : 'a damaged chat'
  return `agentapi left ${left}: the last good chat is put back, and what it left is in ${aside}`
}

interface StateFile {
  readonly bytes: Buffer
  /** None for one that cannot be read. */
  readonly state: AgentapiState | undefined
}

function lookAt(path: string): StateFile | undefined {
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

/** Under a name by what it says, so that the same is not kept twice. */
function setAside(stateFile: string, bytes: Buffer): string {
  const path = named(stateFile, createHash('sha256').update(bytes).digest('hex').slice(0, 8))
  replaceFile(path, bytes)
  return path
}

function named(stateFile: string, word: string): string {
  return stateFile.replace(/\.json$/, `.${word}.json`)
}
