import { asString } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import type { Refusal, StartRequest } from '../start.ts'
import { sessionMeta } from './records.ts'
import { findRollout, firstRecords } from './rollout-file.ts'
import { isLoggedOut, providerOf, settings } from './settings.ts'

/** Enough for the first line, which contains the base instructions. */
const FIRST_LINE = 96 * 1024

/**
 * What would make the turn fail after the prompt was stored, so that it would count as sent. Only what is certain: Codex
 * itself refuses the rest with a clear message.
 */
export function preflight(kind: 'cold' | 'warm', request: StartRequest, reading: ReadContext): Refusal | undefined {
  const { io, args, cwd, headless, session } = request
  const setting = settings(io)
  const provider = setting && providerOf(args, cwd, io, setting)
  if (!setting || provider === undefined) return undefined
  const recorded = kind === 'warm' ? providerOfSession(session, reading) : undefined
  if (recorded !== undefined && recorded !== provider) {
    return {
      why: `the session was made with the provider ${recorded}, but Codex is set to ${provider} and would refuse to resume it`,
      hint: `add -- -c model_provider=${recorded}, or set model_provider in config.toml`,
    }
  }
  const key = setting('model_providers', provider, 'env_key')
  if (key !== undefined && !io.env[key]) {
    return { why: `${key} is not set, the key of the provider ${provider}`, hint: `set ${key}` }
  }
  // In a terminal it asks for the login, and the prompt waits.
  if (headless && isLoggedOut(provider, io, setting)) return { why: 'Codex is not logged in', hint: 'codex login' }
  return undefined
}

function providerOfSession(session: string, reading: ReadContext): string | undefined {
  const path = findRollout(session, reading)
  const meta = path === undefined ? undefined : sessionMeta(firstRecords(path, FIRST_LINE, () => true, reading)[0])
  return asString(meta?.payload.model_provider) || undefined
}
