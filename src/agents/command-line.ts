/**
 * The part of an agent's command line that Ion decides itself. Scripts written for agentapi contain complete command lines;
 * what they say about prompt and session is taken out, and the rest is passed to the agent.
 */
export interface CommandLineSpec {
  /** Subcommands that open a conversation: `chat`, `run`. */
  readonly subcommands?: readonly string[]
  /** Options without a value that choose the session or the mode: `--continue`. They are dropped. */
  readonly switches?: readonly string[]
  /** The same with a value: `--resume <id>`; the value is dropped too, unless it is another option. */
  readonly session?: readonly string[]
  /** Options whose value is the prompt. */
  readonly prompt?: readonly string[]
  /** Options whose value is a file with the prompt. */
  readonly promptFile?: readonly string[]
  /** The last argument is the prompt, unless it is the value of one of these options. */
  readonly lastIsPrompt?: { readonly unlessValueOf: readonly string[] }
}

/** What a complete command line asks for. */
export interface CommandLine {
  readonly args: readonly string[]
  readonly prompt?: string
  readonly promptFile?: string
}

export function parseCommandLine(spec: CommandLineSpec, words: readonly string[]): CommandLine {
  const args: string[] = []
  let found: Omit<CommandLine, 'args'> = {}
  const rest = [...words]
  if (spec.subcommands?.includes(rest[0] ?? '')) rest.shift()
  while (rest.length > 0) {
    const word = rest.shift()!
    if (word === '--') {
      if (rest.length > 0) found = { prompt: rest.join(' ') }
      break
    }
    const [, name = word, inline] = /^(--?[\w-]+)=(.*)$/s.exec(word) ?? []
    const isIn = (names: readonly string[] | undefined): boolean => names?.includes(name) ?? false
    if (isIn(spec.switches)) continue
    if (isIn(spec.prompt)) found = { prompt: inline ?? rest.shift() ?? '' }
    else if (isIn(spec.promptFile)) found = { promptFile: inline ?? rest.shift() ?? '' }
    else if (isIn(spec.session)) {
      if (inline === undefined && !rest[0]?.startsWith('-')) rest.shift()
    } else args.push(word)
  }
  const last = spec.lastIsPrompt && Object.keys(found).length === 0 ? args.at(-1) : undefined
  const isValue = spec.lastIsPrompt?.unlessValueOf.includes(args.at(-2) ?? '')
  if (last === undefined || last.startsWith('-') || isValue) return { args, ...found }
  return { args: args.slice(0, -1), prompt: last }
}
