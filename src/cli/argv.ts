import { IonError } from '../platform/error.ts'
import type { Command, OptionDefinition } from './command.ts'

/**
 * For a command whose arguments may begin with a dash (`ion search login -draft`): moves its options to the front and
 * puts `--` before the arguments, so that the parser treats none of them as an option. `-h` always means help. Before
 * the prompt of an agent, a short option is one that was meant for the agent, so the parser gets it and refuses it.
 */
export function protectDashArguments(argv: readonly string[], commands: readonly Command[]): readonly string[] {
  const command = commands.find(({ name, dashWords }) => dashWords && name === argv[0])
  if (!command) return argv
  const options: string[] = []
  const words: string[] = []
  for (let index = 1; index < argv.length; index++) {
    const word = argv[index]!
    if (word === '--') {
      words.push(...argv.slice(index + 1))
      break
    }
    // Options contain no spaces; a prompt that begins with dashes usually does.
    const isShort = word === '-h' || (command.rest !== undefined && words.length < 2 && /^-[a-z]\S*$/i.test(word))
    if (isShort || (word.startsWith('--') && !/\s/.test(word))) {
      options.push(word)
      if (!takesValue(command, word)) continue
      const value = argv[++index]
      if (value === undefined || value === '--') throw missingValue(word, command.name)
      options.push(value)
    } else words.push(word)
  }
  return [command.name, ...options, ...(words.length ? ['--', ...words] : [])]
}

/** `-I="text"` is `-I "text"`, as agentapi and other programs in Go read it; the parser would keep the equals sign. */
export function splitShortValues(argv: readonly string[], commands: readonly Command[]): readonly string[] {
  const command = commands.find(({ name }) => name === argv[0])
  if (!command) return argv
  const end = argv.indexOf('--')
  return argv.flatMap((word, index) => {
    const [, flag, value] = /^(-[A-Za-z])=(.*)$/s.exec(word) ?? []
    const isOption = flag !== undefined && (end < 0 || index < end) && takesValue(command, flag)
    return isOption ? [flag, value!] : [word]
  })
}

function takesValue(command: Command, word: string): boolean {
  return (command.options ?? []).some(({ flags }) => flags.split(/[ ,]+/).includes(word) && flags.includes('<'))
}

export function missingValue(flag: string, command: string): IonError {
  return new IonError('usage', `option ${flag} needs a value`, { hint: `ion ${command} --help` })
}

/** Splits off what follows `--`, for a command that passes it on. */
export function splitRest(
  argv: readonly string[],
  commands: readonly Command[],
): { readonly argv: readonly string[]; readonly rest: readonly string[] | undefined } {
  const index = argv.indexOf('--')
  if (index < 0 || !commands.some(({ name, rest }) => rest && name === argv[0])) return { argv, rest: undefined }
  return { argv: argv.slice(0, index), rest: argv.slice(index + 1) }
}

/** For help and completion: options that are used in place of a command. */
export const resumeOptions: readonly OptionDefinition[] = [
  { flags: '-c, --continue', summary: 'reopen the newest session of this project' },
  { flags: '-r, --resume', summary: 'reopen a session: ion -r <id>; without an id, pick one' },
]

/** `ion --continue` and `ion --resume [id]` are familiar from the agents; they are short for `ion resume`. */
export function rewriteResumeFlags(argv: readonly string[]): readonly string[] {
  const [first = '', ...others] = argv
  if (first === '--continue' || first === '-c') return ['resume', '--newest', ...others]
  if (first === '--resume' || first === '-r') return ['resume', ...others]
  return first.startsWith('--resume=') ? ['resume', first.slice('--resume='.length), ...others] : argv
}
