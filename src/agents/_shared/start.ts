import { readSettings, type Settings, settingsText, withoutComments } from '../../native/settings.ts'
import { compareVersions } from '../../platform/compare-versions.ts'
import { IonError } from '../../platform/error.ts'
import type { Preparation, Refusal } from '../start.ts'

/** Whether the user's arguments contain an option: `--name`, `--name value` or `--name=value`. */
export function hasOption(args: readonly string[], name: string): boolean {
  return args.some((word) => word === name || word.startsWith(`${name}=`))
}

/**
 * For `preflight`: options after which Ion would not find the session again and would send its prompt twice, each with
 * what to do instead.
 */
export function refuseOptions(args: readonly string[], hints: Readonly<Record<string, string>>): Refusal | undefined {
  const name = Object.keys(hints).find((option) => hasOption(args, option))
  return name === undefined
    ? undefined
    : { why: `with ${name} the session would not be found again`, hint: hints[name]! }
}

/** Whether the installed version has what came with `first`; a version that is not known counts as a new one. */
export function isSince(first: string, version: string | undefined): boolean {
  return version === undefined || compareVersions(version, first) >= 0
}

/** For `prepare`: a JSON settings file with something changed. A file with comments is refused: they would be lost. */
export function changeSettings(file: string, sets: string, change: (settings: Settings) => Settings): Preparation {
  const text = settingsText(file)
  if (withoutComments(text) !== text) {
    throw new IonError('failed', `${file} has comments, which Ion would lose`, {
      hint: `add ${JSON.stringify(change({}))} to it by hand`,
    })
  }
  return { file, sets, content: `${JSON.stringify(change(readSettings(file)), null, 2)}\n` }
}
