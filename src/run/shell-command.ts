/** A simple command, with the variables that are set for it and the text that is piped into it. */
export interface ShellCommand {
  readonly words: readonly string[]
  readonly variables: Readonly<Record<string, string>>
  readonly input?: string
}

const SHELLS = /^(?:ba|da|z|k)?sh$/

/** The script of `bash -c <script>`, if that is what the words are; what follows it are only the script's parameters. */
export function scriptOf(words: readonly string[]): string | undefined {
  const [program = '', ...rest] = words
  if (!SHELLS.test(program.split('/').at(-1)!)) return undefined
  const at = rest.findIndex((word) => !word.startsWith('-') || /^-[a-z]*c$/.test(word))
  return at >= 0 && rest[at]!.startsWith('-') ? rest[at + 1] : undefined
}

/**
 * The one program that a script runs: a simple command, with variables or `exec` before it, or one that `echo` or `printf`
 * pipes a text into. Undefined for everything else, such as several commands, expansions and redirections: guessing what a
 * shell would do is not safe.
 */
export function parseScript(script: string): ShellCommand | undefined {
  const pipeline = splitScript(script)
  if (!pipeline || pipeline.length > 2) return undefined
  const command = simpleCommand(pipeline.at(-1)!)
  if (command.words.length === 0) return undefined
  if (pipeline.length === 1) return command
  const input = printedText(pipeline[0]!)
  return input === undefined ? undefined : { ...command, input }
}

/** Without the variables and the programs before it that only start it. */
export function simpleCommand(words: readonly string[]): ShellCommand {
  const rest = [...words]
  const variables: Record<string, string> = {}
  for (;;) {
    const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(rest[0] ?? '') ?? []
    if (name !== undefined) variables[name] = value!
    else if (!/^(?:exec|env|nohup)$/.test(rest[0] ?? '')) return { words: rest, variables }
    rest.shift()
  }
}

function printedText([program, ...words]: readonly string[]): string | undefined {
  if (program === 'echo') return words.filter((word, index) => !(index === 0 && /^-[neE]+$/.test(word))).join(' ')
  if (program === 'printf' && /^%s(?:\\n)?$/.test(words[0] ?? '') && words.length === 2) return words[1]
  return undefined
}

/** Words of each command of a pipeline; undefined if there is anything but words, quotes and pipes. */
function splitScript(script: string): string[][] | undefined {
  const pipeline: string[][] = [[]]
  const pattern =
    /\s+|\||(?![~#])(?:\$'(?:[^'\\]|\\[\s\S])*'|'[^']*'|"(?:[^"\\$`]|\\[\s\S])*"|\\[\s\S]|[^\s|&;<>()$`\\"'*?[\]{}])+/gy
  for (let at = 0; at < script.length; at = pattern.lastIndex) {
    pattern.lastIndex = at
    const token = pattern.exec(script)?.[0]
    if (token === undefined) return undefined
    if (token === '|') pipeline.push([])
    else if (token.trim() !== '') pipeline.at(-1)!.push(unquoted(token))
  }
  return pipeline
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', e: '\x1b', E: '\x1b', a: '\x07' }

function unquoted(word: string): string {
  return word.replace(
    /\$'((?:[^'\\]|\\[\s\S])*)'|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])/g,
    (_, ansi?: string, single?: string, double?: string, escaped?: string) => {
      if (ansi !== undefined) return unescaped(ansi)
      if (single !== undefined) return single
      return double?.replace(/\\([$`"\\\n])/g, (_, char: string) => (char === '\n' ? '' : char)) ?? escaped ?? ''
    },
  )
}

/** Of `$'…'`. Without a UTF-8 locale bash writes other characters as the bytes that they consist of. */
function unescaped(text: string): string {
  return text.replace(/(?:\\[0-7]{3})+|\\([\s\S])/g, (bytes, char?: string) => {
    if (char !== undefined) return ESCAPES[char] ?? char
    return Buffer.from(
      bytes
        .slice(1)
        .split('\\')
        .map((octal: string) => Number.parseInt(octal, 8)),
    ).toString()
  })
}
