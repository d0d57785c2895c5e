import type { Config } from '../config/config.ts'
import type { ExitKind } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import type { Terminal } from './terminal.ts'

/** What shell completion offers as a value. */
export type Completes = 'session' | 'agent' | 'tag' | 'file' | 'folder' | 'none'

export interface ArgumentDefinition {
  readonly name: string
  readonly summary: string
  readonly required?: boolean
  readonly many?: boolean
  /** The only allowed values. */
  readonly choices?: readonly string[]
  readonly completes?: Completes
}

export interface OptionDefinition {
  /** In commander's syntax: `-o, --output <file>`, `--full`, `--resume [id]`. */
  readonly flags: string
  readonly summary: string
  readonly choices?: readonly string[]
  /** May be repeated; the values are collected in an array. */
  readonly many?: boolean
  readonly completes?: Completes
}

/** Where a command runs: environment, output streams and the user's settings. Tests pass their own. */
export interface Context {
  readonly io: Io
  readonly out: Terminal
  readonly err: Terminal
  readonly config: Config
}

/** The headings of `ion --help`. */
export type CommandGroup = 'run agents' | 'find and share sessions' | 'archive and restore' | 'this machine'

/** A command as data: help, completion, docs/cli.md and the types of its arguments and options come from it. */
export interface CommandDefinition {
  readonly name: string
  /** Its heading in `ion --help`; undefined for internal commands. */
  readonly group?: CommandGroup
  /** Short enough for one line of help. */
  readonly summary: string
  /** Another paragraph for `--help` and the documentation. */
  readonly details?: string
  readonly arguments?: readonly ArgumentDefinition[]
  readonly options?: readonly OptionDefinition[]
  readonly examples?: readonly (readonly [command: string, what: string])[]
  /** What is after `--` is passed on. Undefined: `--` only ends the options. */
  readonly rest?: { readonly name: string; readonly summary: string }
  /** `-word` is an argument here, not an option. */
  readonly dashWords?: boolean
  /** Hidden from help and documentation: called by programs only. */
  readonly internal?: boolean
}

type Value<D> = D extends { readonly choices: readonly (infer Choice extends string)[] } ? Choice : string

type ArgumentValue<A> = A extends { readonly many: true }
  ? readonly Value<A>[]
  : A extends { readonly required: true }
    ? Value<A>
    : Value<A> | undefined

/** The arguments in the order of their definition; one with `many` is an array. */
export type ArgumentsOf<D> = D extends { readonly arguments: infer A extends readonly unknown[] }
  ? { readonly [Index in keyof A]: ArgumentValue<A[Index]> }
  : readonly []

type LongName<Flags> = Flags extends `${string}--${infer Name} ${string}`
  ? Name
  : Flags extends `${string}--${infer Name}`
    ? Name
    : never

type CamelCase<Name> = Name extends `${infer Head}-${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : Name

type OptionKey<Flags> = LongName<Flags> extends `no-${infer Name}` ? CamelCase<Name> : CamelCase<LongName<Flags>>

type OptionValue<O extends OptionDefinition> = O extends { readonly many: true }
  ? readonly Value<O>[]
  : O['flags'] extends `${string}<${string}`
    ? Value<O> | undefined
    : O['flags'] extends `${string}[${string}`
      ? Value<O> | true | undefined
      : boolean

/** `--dry-run` is `dryRun: boolean`, `--limit <n>` is `limit: string | undefined`, with `many` an array. */
export type OptionsOf<D> = D extends { readonly options: readonly (infer O extends OptionDefinition)[] }
  ? { readonly [One in O as OptionKey<One['flags']>]: OptionValue<One> }
  : Readonly<Record<never, never>>

/** The code of a command. `rest` is what follows `--`. A number is another program's exit code, passed on unchanged. */
export type Run<D> = (
  args: ArgumentsOf<D>,
  options: OptionsOf<D>,
  context: Context,
  rest?: readonly string[],
) => Promise<ExitKind | number>

export type AnyOptions = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

/** A command's module without the types of its definition, as the parser sees it. */
export interface CommandModule {
  run(
    args: readonly (string | readonly string[] | undefined)[],
    options: AnyOptions,
    context: Context,
    rest?: readonly string[],
  ): Promise<ExitKind | number>
}

/** A definition together with its code, which is loaded only when the command runs. */
export interface Command extends CommandDefinition {
  readonly load: () => Promise<CommandModule>
}

export function defineCommand<D extends CommandDefinition>(
  definition: D,
  load: () => Promise<{ readonly run: Run<D> }>,
): Command {
  return { ...definition, load }
}

/** Options for calling a command from code: those that are not given get the value they have on the command line. */
export function withDefaults<D extends CommandDefinition>(
  { options = [] }: D,
  given: Partial<OptionsOf<D>>,
): OptionsOf<D> {
  return { ...(optionDefaults(options) as OptionsOf<D>), ...given }
}

export function optionDefaults(options: readonly Pick<OptionDefinition, 'flags' | 'many'>[]): AnyOptions {
  const defaults = options.map(({ flags, many }) => {
    const fallback = /[<[]/.test(flags) ? undefined : flags.includes('--no-')
    return [optionKey(flags), many ? [] : fallback] as const
  })
  return Object.fromEntries(defaults)
}

/** `dryRun` for `--dry-run`, and `pager` for `--no-pager`. */
export function optionKey(flags: string): string {
  const [, name] = /--(?:no-)?([\w-]+)/.exec(flags)!
  return name!.replace(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase())
}
