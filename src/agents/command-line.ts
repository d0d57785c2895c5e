/**
 * The part of an agent's command line that Ion decides itself. Scripts written for agentapi contain complete command lines;
 * what they say about prompt and session is taken out, and the rest is passed to the agent.
 */
export interface CommandLineSpec {
  /** Subcommands that open a conversation: `chat`, `run`. */
  readonly subcommands?: readonly string[]
  /** Subcommands that may be followed by the id of a session: `resume <id>`. */
  readonly resumeSubcommands?: readonly string[]
  /** Options without a value that choose the session or the mode: `--continue`. They are dropped. */
  readonly switches?: readonly string[]
  /** Options that may have the id of an existing session: `--resume <id>`. */
  readonly resume?: readonly string[]
  /** Other options with a value that are dropped: the id of a new session, a name, the folder. */
  readonly session?: readonly string[]
  /** Options whose value is the prompt. */
  readonly prompt?: readonly string[]
  /** Options whose value is a file with the prompt. */
  readonly promptFile?: readonly string[]
  /** The last argument is the prompt, unless it is a value of one of these options; `many`: of any number of values. */
  readonly lastIsPrompt?: { readonly unlessValueOf: readonly string[]; readonly many?: readonly string[] }
}

/** What a complete command line asks for. */
export interface CommandLine {
  readonly args: readonly string[]
  readonly prompt?: string
  readonly promptFile?: string
  /** The native id of the session that it resumes. */
  readonly resumes?: string
}

export function parseCommandLine(spec: CommandLineSpec, words: readonly string[]): CommandLine {
  const args: string[] = []
  let prompt: Pick<CommandLine, 'prompt' | 'promptFile'> | undefined
  let resumes: string | undefined
  let isSubcommandDue = true
  const rest = [...words]
  const isValue = (): boolean => spec.lastIsPrompt?.unlessValueOf.includes(args.at(-1) ?? '') ?? false
  /** Not if it is another option: the value may be left out. */
  const value = (): string | undefined => (rest[0]?.startsWith('-') ? undefined : rest.shift())
  while (rest.length > 0) {
    const word = rest.shift()!
    if (word === '--') {
      if (rest.length > 0) prompt = { prompt: rest.join(' ') }
      break
    }
    const [, name = word, inline] = /^(--?[\w-]+)=(.*)$/s.exec(word) ?? []
    const isIn = (names: readonly string[] | undefined): boolean => names?.includes(name) ?? false
    const isSubcommand = isSubcommandDue && !isValue() && (isIn(spec.subcommands) || isIn(spec.resumeSubcommands))
    if (isSubcommand) {
      isSubcommandDue = false
      if (isIn(spec.resumeSubcommands)) resumes = value()
    } else if (isIn(spec.switches)) continue
    else if (isIn(spec.prompt)) prompt = { prompt: inline ?? rest.shift() ?? '' }
    else if (isIn(spec.promptFile)) prompt = { promptFile: inline ?? rest.shift() ?? '' }
    else if (isIn(spec.resume)) resumes = inline ?? value()
    else if (isIn(spec.session)) {
      if (inline === undefined) value()
    } else args.push(word)
  }
  const last = prompt ? undefined : lastPrompt(spec, args)
  return {
    args: last === undefined ? args : args.slice(0, -1),
    ...(last === undefined ? prompt : { prompt: last }),
    ...(resumes ? { resumes } : {}),
  }
}

function lastPrompt({ lastIsPrompt }: CommandLineSpec, args: readonly string[]): string | undefined {
  const last = args.at(-1)
  if (!lastIsPrompt || last === undefined || last.startsWith('-')) return undefined
  if (lastIsPrompt.unlessValueOf.includes(args.at(-2) ?? '')) return undefined
  const option = args.findLast((word) => word.startsWith('-'))
  return lastIsPrompt.many?.includes(option ?? '') ? undefined : last
}
