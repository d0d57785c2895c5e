import { readSettings } from '../../native/settings.ts'
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

export type Settings = Readonly<Record<string, unknown>>

/** For `prepare`: a JSON settings file with something changed. */
export function changeSettings(file: string, sets: string, change: (settings: Settings) => Settings): Preparation {
  return { file, sets, content: `${JSON.stringify(change(readSettings(file)), null, 2)}\n` }
}
