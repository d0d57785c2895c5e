import { quickOptions } from './_quick-options.ts'
import { type AnyOptions, type CommandModule, type OptionDefinition, optionDefaults, optionKey } from './command.ts'

type Name = keyof typeof quickOptions

/** The commands that people and scripts call most; everything on the way to their answer loads little. */
const loaders: Readonly<Record<Name, () => Promise<CommandModule>>> = {
  sessions: () => import('./commands/sessions.ts') as Promise<CommandModule>,
  status: () => import('./commands/status.ts') as Promise<CommandModule>,
}

export interface SimpleCommand {
  readonly command: { readonly name: string; readonly load: () => Promise<CommandModule> }
  readonly options: AnyOptions
}

/**
 * One of these commands with options only, each written as it is defined: loading and building the parser takes longer than
 * running them. Undefined for anything else, right or wrong, which is the parser's business.
 */
export function parseSimple([name = 'status', ...words]: readonly string[]): SimpleCommand | undefined {
  if (!Object.hasOwn(quickOptions, name)) return undefined
  const options = quickOptions[name as Name]
  const given: Record<string, string | boolean | readonly string[]> = {}
  for (let index = 0; index < words.length; index++) {
    const option = options.find(({ flags }) => namesOf(flags).includes(words[index]!))
    if (!option) return undefined
    const takesValue = option.flags.includes('<')
    const value = takesValue ? words[++index] : true
    if (value === undefined || (typeof value === 'string' && value.startsWith('-')) || !isPlain(option))
      return undefined
    const key = optionKey(option.flags)
    given[key] = option.many ? [...((given[key] as readonly string[] | undefined) ?? []), String(value)] : value
  }
  return { command: { name, load: loaders[name as Name] }, options: { ...optionDefaults(options), ...given } }
}

/** `-a, --all` is written as `-a` or as `--all`. */
function namesOf(flags: string): string[] {
  return flags.split(/[ ,]+/).filter((word) => word.startsWith('-'))
}

/** Without rules of its own: an optional value, a choice, a negation. */
function isPlain({ flags, choices }: Pick<OptionDefinition, 'flags' | 'choices'>): boolean {
  return !choices && !flags.includes('[') && !flags.includes('--no-')
}
