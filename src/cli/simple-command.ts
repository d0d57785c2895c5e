import { quickCommands } from './_quick-commands.ts'
import { type AnyOptions, type CommandModule, optionDefaults, optionKey } from './command.ts'

type Name = keyof typeof quickCommands

/** The commands that people and scripts call most, or wait for; everything on the way to their answer loads little. */
const loaders: Readonly<Record<Name, () => Promise<CommandModule>>> = {
  changes: () => import('./commands/changes.ts') as Promise<CommandModule>,
  sessions: () => import('./commands/sessions.ts') as Promise<CommandModule>,
  show: () => import('./commands/show/run.ts') as Promise<CommandModule>,
  status: () => import('./commands/status.ts') as Promise<CommandModule>,
}

export interface SimpleCommand {
  readonly command: { readonly name: string; readonly load: () => Promise<CommandModule> }
  readonly args: readonly string[]
  readonly options: AnyOptions
}

/**
 * One of these commands with all of its arguments and options that are written as they are defined: loading and building the
 * parser takes longer than running them. Undefined for anything else, right or wrong, which is the parser's business.
 */
export function parseSimple([name = 'status', ...words]: readonly string[]): SimpleCommand | undefined {
  if (!Object.hasOwn(quickCommands, name)) return undefined
  const { arguments: expected, options } = quickCommands[name as Name]
  const args: string[] = []
  const given: Record<string, string | boolean | readonly string[]> = {}
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!
    if (!word.startsWith('-')) {
      args.push(word)
      continue
    }
    const option = options.find(({ flags }) => namesOf(flags).includes(word))
    if (!option || option.choices) return undefined
    const { flags } = option
    const takesValue = /[<[]/.test(flags)
    const next = takesValue ? words[++index] : undefined
    // What begins with a dash may be a value or another option.
    if (takesValue && (next === undefined ? flags.includes('<') : next.startsWith('-'))) return undefined
    const value = next ?? !flags.includes('--no-')
    const key = optionKey(flags)
    given[key] = option.many ? [...((given[key] as readonly string[] | undefined) ?? []), String(value)] : value
  }
  if (args.length !== expected) return undefined
  return { command: { name, load: loaders[name as Name] }, args, options: { ...optionDefaults(options), ...given } }
}

/** `-a, --all` is written as `-a` or as `--all`. */
function namesOf(flags: string): string[] {
  return flags.split(/[ ,]+/).filter((word) => word.startsWith('-'))
}
