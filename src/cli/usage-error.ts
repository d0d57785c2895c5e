import type { CommanderError } from 'commander'
import { agents } from '../agents/_registry.ts'
import { IonError } from '../platform/error.ts'
import { nearest } from '../platform/nearest.ts'
import { missingValue } from './argv.ts'
import type { Command } from './command.ts'
import { commands } from './commands/index.ts'

/** Errors about a wrong command line. Loaded only when there is one. */

/** What the parser rejects, in our own format. */
export function usageError({ code, message }: CommanderError, argv: readonly string[]): IonError {
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

export function unknownCommand(word: string): IonError {
  const meant = meantCommand(word.toLowerCase())
  const isId = meant === undefined && /^[0-9a-f-]{4,}$/i.test(word)
  return new IonError('usage', `unknown command "${word}"`, {
    hint: meant ? `did you mean "ion ${meant}"?` : isId ? `ion show ${word}` : 'ion --help',
  })
}

function meantCommand(word: string): string | undefined {
  const agent = agents.find(({ id, aliases, isArchive }) => !isArchive && [id, ...aliases].includes(word))
  if (agent) return `run ${agent.id}`
  const names = commands.flatMap(({ name, internal }) => (internal ? [] : [name]))
  return usualNames[word] ?? nearest(word, names) ?? usualNames[nearest(word, Object.keys(usualNames)) ?? '']
}

/** A file in the place of the subcommand: what is missing is the subcommand. */
export function unknownChoice(command: Command, name: string, value: string, choices: readonly string[]): IonError {
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
