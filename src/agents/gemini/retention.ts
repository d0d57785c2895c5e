import { asObject, asString } from '../../native/narrow.ts'
import { readSettings, valueAt } from '../../native/settings.ts'
import { attempt } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import type { Retention } from '../agent.ts'
import { settingsFiles, userSettingsFile } from './settings.ts'

const DEFAULT_DAYS = 30

/** `m` is a month of 30 days. */
const unitDays: Readonly<Record<string, number>> = { h: 1 / 24, d: 1, w: 7, m: 30 }

const DANGER =
  'Resuming can lose a session while this is on: Gemini writes a second, nearly empty file, treats it as damaged at a ' +
  'later start, and deletes every file with the same ending, the resumed session too. If maxCount is set, the oldest ' +
  'sessions are deleted as well.'

/** `general.sessionRetention`: by default on, 30 days. Undefined when the user has turned it off: then nothing is deleted. */
export function retention(io: Io): Retention | undefined {
  const settings = settingsFiles(io).map(sessionRetention)
  const pick = (key: string): unknown => settings.map((found) => found[key]).find((value) => value !== undefined)
  if (pick('enabled') === false) return undefined
  return {
    days: daysOf(asString(pick('maxAge'))) ?? DEFAULT_DAYS,
    setting: `general.sessionRetention in ${userSettingsFile(io)}`,
    counts: 'last update',
    danger: DANGER,
  }
}

function daysOf(age: string | undefined): number | undefined {
  const match = /^(\d+)([hdwm])$/.exec(age ?? '')
  return match ? Number(match[1]) * unitDays[match[2]!]! : undefined
}

/** Empty for a file that is missing or unreadable: the default applies. */
function sessionRetention(file: string): Record<string, unknown> {
  return asObject(attempt(() => valueAt(readSettings(file), ['general', 'sessionRetention']))) ?? {}
}
