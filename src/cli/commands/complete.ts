import { existsSync } from 'node:fs'
import { agents } from '../../agents/_registry.ts'
import { catalogPath } from '../../catalog/index-file.ts'
import { openCatalog } from '../../catalog/open.ts'
import { readMarks } from '../../organise/read-marks.ts'
import { pluralize } from '../../platform/format-count.ts'
import type { Io } from '../../platform/io.ts'
import { resumeOptions, rewriteResumeFlags } from '../argv.ts'
import type { Command, Completes, OptionDefinition, Run } from '../command.ts'
import type { complete as definition } from '../definitions/internal.ts'
import { ago, fit, oneLine } from '../text.ts'
import { commands } from './index.ts'

const MAX_SESSIONS = 50
const SUMMARY_COLUMNS = 60

/** Answers a shell: lines of value, tab, summary. Reports no errors: a shell would print them into the command line. */
export const run: Run<typeof definition> = async ([typed], _options, { io, out }) => {
  // Older PowerShells cannot pass an empty argument and send two quotes.
  const words = typed.map((word) => (word === '""' ? '' : word))
  try {
    const { candidates, paths } = complete(words, commands, {
      agents: () => agents.map(({ id, title }) => ({ value: id, summary: title })),
      sessions: (prefix) => sessions(prefix, io),
      tags: () =>
        readMarks(io)
          .tags()
          .map(({ tag, sessions }) => ({ value: tag, summary: pluralize(sessions, 'session') })),
    })
    for (const { value, summary } of candidates)
      out.write(`${oneLine(value)}\t${fit(oneLine(summary), SUMMARY_COLUMNS)}\n`)
    if (paths) out.write(`:${paths}\n`)
  } catch {
    // Nothing to offer.
  }
  return 'ok'
}

/** The newest sessions in the index as it is: pressing tab must neither update nor create it. */
function sessions(prefix: string, io: Io): Candidate[] {
  if (!existsSync(catalogPath(io))) return []
  const catalog = openCatalog(io)
  try {
    return catalog.sessions({ limit: MAX_SESSIONS, ...(prefix ? { words: [prefix] } : {}) }).map((row) => ({
      value: row.id,
      summary: `${row.agent} ${ago(row.updated_at, io.now())} ${row.title ?? ''}`,
    }))
  } finally {
    catalog.close()
  }
}

export interface Candidate {
  readonly value: string
  readonly summary: string
}

export interface Answer {
  readonly candidates: readonly Candidate[]
  /** The shell completes paths itself. */
  readonly paths?: 'file' | 'folder'
}

/** What must be looked up; called only when needed. */
export interface Lookup {
  readonly sessions: (prefix: string) => readonly Candidate[]
  readonly agents: () => readonly Candidate[]
  readonly tags: () => readonly Candidate[]
}

const help: OptionDefinition = { flags: '-h, --help', summary: 'show help' }
const version: OptionDefinition = { flags: '-V, --version', summary: 'show the version' }

/** What may replace the last word. Everything comes from the command definitions. */
export function complete(words: readonly string[], commands: readonly Command[], lookup: Lookup): Answer {
  // Bash splits `--option=value` into three words; the value may be empty.
  const current = words.at(-1) === '=' ? '' : (words.at(-1) ?? '')
  const before = rewriteResumeFlags(words.at(-1) === '=' ? words : words.slice(0, -1))
  const command = commands.find(({ name }) => name === before[0])
  if (before.length === 0) {
    const names = commands.filter(({ internal }) => !internal).map(({ name, summary }) => ({ value: name, summary }))
    return offer(current.startsWith('-') ? flagsOf([...resumeOptions, help, version], []) : names, current)
  }
  if (!command) return { candidates: [] }
  const { options = [], arguments: places = [] } = command
  const { awaiting, position, given, ended } = walk(before.slice(1), options)
  if (awaiting) return values(awaiting, current, lookup)
  const [, flag, value] = /^(--[\w-]+)=(.*)$/s.exec(current) ?? []
  const assigned = flag && !ended ? options.find((option) => names(option).includes(flag)) : undefined
  if (assigned) {
    const answer = values(assigned, value!, lookup)
    return { candidates: answer.candidates.map((one) => ({ ...one, value: `${flag}=${one.value}` })) }
  }
  if (current.startsWith('-') && !ended) return offer(flagsOf([...options, help], given), current)
  const place = places[position] ?? (places.at(-1)?.many ? places.at(-1) : undefined)
  return place ? values(place, current, lookup) : { candidates: [] }
}

/**
 * Which option awaits its value, how many arguments and which options were given, and whether `--` has ended the options.
 */
function walk(words: readonly string[], options: readonly OptionDefinition[]) {
  let awaiting: OptionDefinition | undefined
  let position = 0
  let ended = false
  const given: OptionDefinition[] = []
  for (const word of words) {
    if (word === '=') awaiting = given.at(-1)
    else if (awaiting) awaiting = undefined
    else if (ended || !word.startsWith('-')) position++
    else if (word === '--') ended = true
    else {
      const option = options.find((one) => names(one).includes(word.replace(/=.*$/s, '')))
      if (option) given.push(option)
      awaiting = option?.flags.includes('<') && !word.includes('=') ? option : undefined
    }
  }
  return { awaiting, position, given, ended }
}

function values(
  { choices, completes }: { readonly choices?: readonly string[]; readonly completes?: Completes },
  current: string,
  lookup: Lookup,
): Answer {
  if (choices) return offer(choices.map(plainCandidate), current)
  switch (completes) {
    case 'session':
      return offer(lookup.sessions(current), current)
    case 'agent':
      return offer(lookup.agents(), current)
    case 'tag':
      return offer(lookup.tags(), current)
    case 'file':
    case 'folder':
      return { candidates: [], paths: completes }
    default:
      return { candidates: [] }
  }
}

function offer(candidates: readonly Candidate[], current: string): Answer {
  return { candidates: candidates.filter(({ value }) => value.startsWith(current)) }
}

function plainCandidate(value: string): Candidate {
  return { value, summary: '' }
}

/** Long names; an option that was given is offered again only if it can be repeated. */
function flagsOf(options: readonly OptionDefinition[], given: readonly OptionDefinition[]): Candidate[] {
  return options
    .filter((option) => option.many || !given.includes(option))
    .flatMap((option) => {
      const value = names(option).find((name) => name.startsWith('--'))
      return value ? [{ value, summary: option.summary }] : []
    })
}

function names({ flags }: OptionDefinition): string[] {
  return flags.split(/[ ,]+/).filter((word) => word.startsWith('-'))
}
