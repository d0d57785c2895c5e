import { CommanderError, Option, Command as Parser } from 'commander'
import type { ExitKind } from '../platform/error.ts'
import { version } from '../platform/version.ts'
import { protectDashArguments, resumeOptions, rewriteResumeFlags, splitRest, splitShortValues } from './argv.ts'
import { type AnyOptions, type Command, type Context, withDefaults } from './command.ts'
import { commands } from './commands/index.ts'
import { withDocPaths } from './doc-paths.ts'
import { type Arguments, runCommand } from './run-command.ts'

export interface Program {
  /** Runs the command in `argv` (without node and the script). */
  run(argv: readonly string[]): Promise<ExitKind | number>
}

/** The command line, built from the command definitions. */
export function buildProgram(context: Context): Program {
  return {
    async run(given) {
      const { argv, rest } = splitRest(rewriteHelp(rewriteResumeFlags(given)), commands)
      await refuseUnknown(argv[0])
      let outcome: ExitKind | number = 'ok'
      const parser = parserOf(neededCommands(argv), context, async (command, args, options) => {
        outcome = await runCommand(command, args, options, context, rest)
      })
      try {
        await parser.parseAsync(protectDashArguments(splitShortValues(argv, commands), commands), { from: 'user' })
        return outcome
      } catch (error) {
        if (!(error instanceof CommanderError)) throw error
        // Help and version are errors with exit code 0. Usage errors are reported in our own format.
        if (error.exitCode === 0) return 'ok'
        throw (await import('./usage-error.ts')).usageError(error, argv)
      }
    },
  }
}

/** Building a parser for all commands takes as long as running one of them. */
function neededCommands(argv: readonly string[]): readonly Command[] {
  const named = commands.filter(({ name }) => name === argv[0])
  return named.length > 0 ? named : commands
}

type Act = (command: Command, args: Arguments, options: AnyOptions) => Promise<void>

function parserOf(needed: readonly Command[], context: Context, act: Act): Parser {
  const parser = newParser(context, 'ion')
    .description('Starts your coding agents, resumes them exactly where they left off, and finds whatever they did.')
    .version(version, '-V, --version', 'show the version')
    .usage('[command] [options]')
    .enablePositionalOptions()
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .helpCommand(false)
    .addHelpText('after', '\nion <command> --help shows options and examples. New here? Try ion demo.')
  // Only for the help: at the beginning of a command line they were rewritten to a command.
  for (const { flags, summary } of resumeOptions) parser.addOption(new Option(flags, summary))
  for (const command of needed) {
    const sub = newParser(context, command.name)
    define(sub, command)
    if (command.group) sub.helpGroup(`${command.group[0]!.toUpperCase()}${command.group.slice(1)}:`)
    sub.action(async (...given: unknown[]) => {
      const args = given.slice(0, command.arguments?.length ?? 0) as Arguments
      await refuseOtherChoices(command, args)
      return act(command, args, withDefaults(command, sub.opts()))
    })
    parser.addCommand(sub, { isDefault: command.name === 'status', hidden: command.internal ?? false })
  }
  return parser
}

/** `ion help show` is `ion show --help`. */
function rewriteHelp(argv: readonly string[]): readonly string[] {
  return argv[0] === 'help' ? [...argv.slice(1, 2), '--help'] : argv
}

/** Without this, an unknown command would be an argument of plain "ion". */
async function refuseUnknown(word: string | undefined): Promise<void> {
  if (word === undefined || word.startsWith('-') || commands.some(({ name }) => name === word)) return
  throw (await import('./usage-error.ts')).unknownCommand(word)
}

async function refuseOtherChoices(command: Command, args: Arguments): Promise<void> {
  for (const [index, { name, choices }] of (command.arguments ?? []).entries()) {
    const value = args[index]
    if (!choices || typeof value !== 'string' || choices.includes(value)) continue
    throw (await import('./usage-error.ts')).unknownChoice(command, name, value, choices)
  }
}

/** In a pipe, that of a narrow terminal. */
function helpWidth({ isTTY, columns }: Context['out']): number {
  return isTTY ? columns : 80
}

function newParser({ out }: Context, name: string): Parser {
  return new Parser(name)
    .exitOverride()
    .showHelpAfterError(false)
    .helpOption('-h, --help', 'show help')
    .configureOutput({
      writeOut: (text) => out.write(text),
      writeErr: () => {},
      outputError: () => {},
      getOutHelpWidth: () => helpWidth(out),
    })
}

function define(parser: Parser, command: Command): void {
  const { summary, details } = command
  parser.summary(summary).description(details ? `${summary}\n\n${withDocPaths(details)}` : summary)
  for (const argument of command.arguments ?? []) {
    const name = argument.many ? `${argument.name}...` : argument.name
    parser.argument(argument.required ? `<${name}>` : `[${name}]`, argument.summary)
  }
  for (const definition of command.options ?? []) {
    const option = new Option(definition.flags, definition.summary)
    if (definition.choices) option.choices([...definition.choices])
    if (definition.many) option.argParser((value: string, before: string[] | undefined) => [...(before ?? []), value])
    parser.addOption(option)
  }
  if (command.examples?.length) {
    const lines = command.examples.map(([line, what]) => `  ${line}\n      ${what}`)
    parser.addHelpText('after', `\nExamples:\n${lines.join('\n')}`)
  }
}
