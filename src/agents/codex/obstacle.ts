import { asString } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import type { Start, StartRequest } from '../start.ts'
import { sessionMeta } from './records.ts'
import { findRollout, firstRecords } from './rollout-file.ts'
import { isLoggedOut, providerOf, settings } from './settings.ts'

type Obstacle = ReturnType<NonNullable<Start['preflight']>>

/** Enough for the first line, which holds the base instructions. */
const FIRST_LINE = 96 * 1024

/**
 * What would make the turn fail after the prompt was stored, so that it would count as sent. Said only where it is
 * sure: Codex itself refuses the rest in clear words.
 */
export function obstacle(kind: 'cold' | 'warm', order: StartRequest, reading: ReadContext): Obstacle {
  const { io, args, cwd, headless, session } = order
  const setting = settings(io)
  const provider = setting && providerOf(args, cwd, io, setting)
  if (!setting || provider === undefined) return undefined
  const recorded = kind === 'warm' ? providerOfSession(session, reading) : undefined
  if (recorded !== undefined && recorded !== provider) {
    return {
      why: `the session was made with the provider ${recorded}, and Codex is set to ${provider}, so it would refuse to resume it`,
      hint: `add -- -c model_provider=${recorded}, or set model_provider in config.toml`,
    }
  }
  const key = setting('model_providers', provider, 'env_key')
  if (key !== undefined && !io.env[key]) {
    return { why: `the variable ${key} is not set, which has the key of the provider ${provider}`, hint: `set ${key}` }
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
