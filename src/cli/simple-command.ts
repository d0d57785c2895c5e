import { type AnyOptions, type Command, defineCommand, type OptionDefinition, optionKey, withDefaults } from './command.ts'
import { status } from './definitions/machine.ts'
import { sessions } from './definitions/sessions.ts'

/** The commands that people and scripts call most; everything on the way to their answer loads little. */
const quick: readonly Command[] = [
  defineCommand(sessions, () => import('./commands/sessions.ts')),
  defineCommand(status, () => import('./commands/status.ts')),
]

export interface SimpleCommand {
  readonly command: Command
  readonly options: AnyOptions
}

/**
 * One of these commands with options only, each written as it is defined: loading and building the parser takes longer than
 * running them. Undefined for anything else, right or wrong, which is the parser's business.
 */
export function parseSimple([name = status.name, ...words]: readonly string[]): SimpleCommand | undefined {
  const command = quick.find((one) => one.name === name)
  if (!command) return undefined
  const given: Record<string, string | boolean | readonly string[]> = {}
  for (let index = 0; index < words.length; index++) {
    const option = command.options?.find(({ flags }) => namesOf(flags).includes(words[index]!))
    if (!option) return undefined
    const takesValue = option.flags.includes('<')
    const value = takesValue ? words[++index] : true
    if (value === undefined || (typeof value === 'string' && value.startsWith('-')) || !isPlain(option)) return undefined
    const key = optionKey(option.flags)
    given[key] = option.many ? [...((given[key] as readonly string[] | undefined) ?? []), String(value)] : value
  }
  return { command, options: withDefaults(command, given) }
}

/** `-a, --all` is written as `-a` or as `--all`. */
function namesOf(flags: string): string[] {
  return flags.split(/[ ,]+/).filter((word) => word.startsWith('-'))
}

/** Without rules of its own: an optional value, a choice, a negation. */
function isPlain({ flags, choices }: OptionDefinition): boolean {
  return !choices && !flags.includes('[') && !flags.includes('--no-')
}
