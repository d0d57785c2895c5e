import { CommanderError, Option, Command as Parser } from 'commander'
import { type ExitKind, IonError } from '../platform/error.ts'
import { requireOwnHome } from '../platform/home-owner.ts'
import { nearest } from '../platform/nearest.ts'
import {
  missingValue,
  protectDashArguments,
  resumeOptions,
  rewriteResumeFlags,
  splitRest,
  splitShortValues,
} from './argv.ts'
import { type AnyOptions, type Command, type Context, withDefaults } from './command.ts'
import { commands } from './commands/index.ts'
import { withDocPaths } from './doc-paths.ts'
import { version } from './version.ts'

export interface Program {
  /** Runs the command in `argv` (without node and the script). */
  run(argv: readonly string[]): Promise<ExitKind | number>
}

/** The command line, built from the command definitions. */
export function buildProgram(context: Context): Program {
  return {
    async run(given) {
      const { argv, rest } = splitRest(rewriteHelp(rewriteResumeFlags(given)), commands)
      refuseUnknown(argv[0])
      let outcome: ExitKind | number = 'ok'
      const parser = parserOf(neededCommands(argv), context, async (command, args, options) => {
        requireOwnHome(context.io)
        const { run } = await command.load()
        outcome = await run(args, options, context, rest)
      })
      try {
        await parser.parseAsync(protectDashArguments(splitShortValues(argv, commands), commands), { from: 'user' })
        return outcome
      } catch (error) {
        if (!(error instanceof CommanderError)) throw error
        // Help and version are errors with exit code 0. Usage errors are reported in our own format.
        if (error.exitCode === 0) return 'ok'
        throw usageError(error, argv)
      }
    },
  }
}

function usageError({ code, message }: CommanderError, argv: readonly string[]): IonError {
  const command = commands.find(({ name }) => name === argv[0])
  const [, flag = ''] = /'(?:-\w, )?(-[\w-]+)/.exec(message) ?? []
  if (code === 'commander.optionMissingArgument') return missingValue(flag, command?.name ?? '')
  // Reported as missing is the argument after it, but it is the wrong one.
  const [first] = argv.slice(1).filter((word) => !word.startsWith('-'))
  const { name, choices } = command?.arguments?.[0] ?? {}
  if (code === 'commander.missingArgument' && command && choices && first !== undefined && !choices.includes(first))
    return unknownChoice(command, name!, first, choices)
  const isForAgent = code === 'commander.unknownOption' && command?.rest !== undefined
  const help = `ion ${command ? `${command.name} ` : ''}--help`
  return new IonError('usage', message.replace(/^error: /, ''), {
    hint: isForAgent ? `${help}; arguments for the agent go after --: ion ${command.name} … -- ${flag}` : help,
  })
}

/** Building a parser for all commands takes as long as running one of them. */
function neededCommands(argv: readonly string[]): readonly Command[] {
  const named = commands.filter(({ name }) => name === argv[0])
  return named.length > 0 ? named : commands
}

type Arguments = readonly (string | readonly string[] | undefined)[]
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
    sub.action((...given: unknown[]) => {
      const args = given.slice(0, command.arguments?.length ?? 0) as Arguments
      refuseOtherChoices(command, args)
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

/** What other programs call it. */
const usualNames: Readonly<Record<string, string>> = {
  ls: 'sessions',
  list: 'sessions',
  history: 'sessions',
  cat: 'show',
  view: 'show',
  open: 'resume',
  continue: 'resume',
  find: 'search',
  grep: 'search',
  start: 'run',
  kill: 'stop',
  tail: 'logs',
  rm: 'prune',
  delete: 'prune',
  clean: 'prune',
  backup: 'snapshot create',
  du: 'storage',
  check: 'doctor',
  index: 'reindex',
  version: '--version',
}

/** Without this, an unknown command would be an argument of plain "ion". */
function refuseUnknown(word: string | undefined): void {
  if (word === undefined || word.startsWith('-') || commands.some(({ name }) => name === word)) return
  const names = commands.flatMap(({ name, internal }) => (internal ? [] : [name]))
  const meant = usualNames[word.toLowerCase()] ?? nearest(word, names)
  const isId = meant === undefined && /^[0-9a-f-]{4,}$/i.test(word)
  throw new IonError('usage', `unknown command "${word}"`, {
    hint: meant ? `did you mean "ion ${meant}"?` : isId ? `ion show ${word}` : 'ion --help',
  })
}

function refuseOtherChoices(command: Command, args: Arguments): void {
  for (const [index, { name, choices }] of (command.arguments ?? []).entries()) {
    const value = args[index]
    if (!choices || typeof value !== 'string' || choices.includes(value)) continue
    throw unknownChoice(command, name, value, choices)
  }
}

/** A file in the place of the subcommand: what is missing is the subcommand. */
function unknownChoice(command: Command, name: string, value: string, choices: readonly string[]): IonError {
  const meant = nearest(value, choices)
  if (meant === undefined && /[./]/.test(value)) {
    const line = `ion ${command.name} ${choices[0]} ${value}`
    return new IonError('usage', `the ${name} is missing before "${value}"`, {
      hint: choices.length > 1 ? `${line}; or: ${choices.slice(1).join(', ')}` : line,
    })
  }
  return new IonError('usage', `unknown ${name} "${value}"`, {
    hint: meant ? `did you mean "ion ${command.name} ${meant}"?` : `one of: ${choices.join(', ')}`,
  })
}

function newParser({ out }: Context, name: string): Parser {
  return new Parser(name)
    .exitOverride()
    .showHelpAfterError(false)
    .helpOption('-h, --help', 'show help')
    .configureOutput({ writeOut: (text) => out.write(text), writeErr: () => {}, outputError: () => {} })
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
