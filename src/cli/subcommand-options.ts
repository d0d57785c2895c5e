import { IonError } from '../platform/error.ts'
import type { AnyOptions } from './command.ts'

/** Refuses the options that belong to other subcommands. `odd`: something else that does not belong to it. */
export function refuseOtherOptions(
  command: string,
  options: AnyOptions,
  allowed: readonly string[],
  odd?: string,
): void {
  const isGiven = (name: string): boolean => [options[name]].flat().some(Boolean)
  const name = Object.keys(options).find((one) => isGiven(one) && !allowed.includes(one))
  if (name === undefined && odd === undefined) return
  const which = name === undefined ? odd : `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  throw new IonError('usage', `"ion ${command}" takes no ${which}`, { hint: `ion ${command.split(' ')[0]} --help` })
}
