import type { Command } from './command.ts'

/**
 * For a command whose arguments may begin with a dash (`ion search login -draft`): puts its options first and `--`
 * before the words, so that the parser takes none of them for an option. `-h` stays what it is everywhere.
 */
export function protectDashWords(argv: readonly string[], commands: readonly Command[]): readonly string[] {
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
    // An option has no blanks; a prompt that begins with dashes has.
    if (word === '-h' || (word.startsWith('--') && !/\s/.test(word))) {
      options.push(word)
      if (takesValue(command, word) && index + 1 < argv.length) options.push(argv[++index]!)
    } else words.push(word)
  }
  return [command.name, ...options, ...(words.length ? ['--', ...words] : [])]
}

function takesValue(command: Command, word: string): boolean {
  return (command.options ?? []).some(({ flags }) => flags.split(/[ ,]+/).includes(word) && flags.includes('<'))
}

/** Takes what follows `--` off, for a command that passes it on. */
export function splitRest(
  argv: readonly string[],
  commands: readonly Command[],
): { readonly argv: readonly string[]; readonly rest: readonly string[] | undefined } {
  const place = argv.indexOf('--')
  if (place < 0 || !commands.some(({ name, rest }) => rest && name === argv[0])) return { argv, rest: undefined }
  return { argv: argv.slice(0, place), rest: argv.slice(place + 1) }
}
