import type { ExitKind } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import type { Terminal } from './terminal.ts'

/** What completion may offer in a place. */
export type Completes = 'session' | 'agent' | 'file' | 'folder' | 'none'

export interface ArgumentDefinition {
  readonly name: string
  readonly summary: string
  readonly required?: boolean
  readonly many?: boolean
  /** All that it may be; the command itself refuses what is something else. */
  readonly choices?: readonly string[]
  readonly completes?: Completes
}

export interface OptionDefinition {
  /** As commander writes it: `-o, --output <file>`, `--full`, `--resume [id]`. */
  readonly flags: string
  readonly summary: string
  readonly choices?: readonly string[]
  /** May be given several times; the values come as an array. */
  readonly many?: boolean
  readonly completes?: Completes
}

/** Where a command runs: the world, and the three streams. Tests pass their own. */
export interface Context {
  readonly io: Io
  readonly out: Terminal
  readonly err: Terminal
}

export type Options = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

export interface CommandModule {
  /**
   * Arguments in the order of their definition; a `many` argument is an array. `rest` is what stands after `--`, for a
   * command that passes it on. A number is another program's exit code, given as it is.
   */
  run(
    args: readonly (string | readonly string[] | undefined)[],
    options: Options,
    context: Context,
    rest?: readonly string[],
  ): Promise<ExitKind | number>
}

/** The headings of `ion --help`. */
export type CommandGroup = 'agents at work' | 'sessions' | 'copies' | 'this machine'

/** A command as data: help, completion and docs/cli.md come from it, and its code is loaded only when it runs. */
export interface Command {
  readonly name: string
  /** Under which heading of `ion --help` it stands; none for one that is internal. */
  readonly group?: CommandGroup
  /** So short that help has it on one line. */
  readonly summary: string
  /** A paragraph more for `--help` and the documentation. */
  readonly details?: string
  readonly arguments?: readonly ArgumentDefinition[]
  readonly options?: readonly OptionDefinition[]
  readonly examples?: readonly (readonly [command: string, what: string])[]
  /** What stands after `--` is passed on: its name and what it is. Undefined: `--` only ends the options. */
  readonly rest?: { readonly name: string; readonly summary: string }
  /** `-word` is an argument of its own here, not an option. */
  readonly dashWords?: boolean
  /** Not in help and documentation: for programs only. */
  readonly internal?: boolean
  readonly load: () => Promise<CommandModule>
}
