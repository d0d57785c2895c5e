import { readRegularFile } from '../native/regular-file.ts'
import { IonError, messageOf } from '../platform/error.ts'
import { type AgentapiState, isState, messagesOf, parseState } from './agentapi-state.ts'

/** A state file is a chat: what is larger is something else. */
const LARGEST = 64 * 1024 * 1024

/** The chat in a file to be taken in; undefined for a file that is none. One that is broken is an error with what is wrong. */
export function readStateFile(path: string): AgentapiState | undefined {
  let value: unknown
  try {
    value = JSON.parse(readRegularFile(path, LARGEST).toString('utf8'))
  } catch {
    // Not there, too large, or of lines: whoever reads it as a log will tell.
    return undefined
  }
  if (!isState(value)) return undefined
  try {
    const state = parseState(value)
    if (messagesOf(state).length === 0) throw new Error('nothing was said in it')
    return state
  } catch (error) {
    throw new IonError('usage', `${path}: ${messageOf(error)}; nothing was taken in`, {
      cause: error,
      hint: 'give a state file of agentapi 0.12 or later',
    })
  }
}
