import { isAbsolute, join, resolve } from 'node:path'
import { findAgent } from '../../agents/find.ts'
import { roles } from '../../agents/passage.ts'
import { parseTag } from '../../organise/tag.ts'
import { IonError } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { nearest } from '../../platform/nearest.ts'
import { parseSince } from '../../platform/since.ts'
import { type SearchQuery, states } from './query.ts'
import type { Term } from './term.ts'

/** The parsed text of a query; limit and order come from options. */
export type QueryParts = Omit<SearchQuery, 'order' | 'limit'>

type QueryContext = Pick<Io, 'now' | 'cwd' | 'home'> & {
  /** Folders by the user's names for them. */
  readonly projects?: ReadonlyMap<string, string>
}

interface Token {
  readonly text: string
  /** Inside quotes nothing has a special meaning. */
  readonly quoted: boolean
  readonly excluded: boolean
}

/** What stands before the colon of a filter. */
export const operators = [
  'agent', 'project', 'in', 'role', 'tool', 'file', 'title', 'tag', 'since', 'after', 'before', 'is', 'model',
] as const // biome-ignore format: a list

type Operator = (typeof operators)[number]

/**
 * Parses a query from command-line arguments. A single argument, not counting filters, is a whole query, quoted or not. If
 * there are several, one with spaces is a phrase: the shell has removed its quotes.
 */
export function parseQuery(args: readonly string[], context: QueryContext): QueryParts {
  const isOnly = args.filter((arg) => !isFilter(arg)).length === 1
  const tokens = args.flatMap((arg) => {
    if (arg.includes('"') || !/\s/.test(arg)) return tokensOf(arg)
    if (isFilter(arg) && args.length > 1) return [wordToken(arg)]
    return isOnly || args.length === 1 ? tokensOf(arg) : [phrase(arg)]
  })
  return combine(tokens, context, (text) => `'"${text}"'`)
}

/** Parses a query that was typed as one line. */
export function parseQueryText(text: string, context: QueryContext): QueryParts {
  return combine(tokensOf(text), context, (word) => `"${word}"`)
}

/** Nothing is asked for. */
export function isEmptyQuery(parts: QueryParts): boolean {
  const { excluded: _, ...asked } = parts
  return Object.values(asked).every((value) => Array.isArray(value) && value.length === 0)
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] }

/** `inQuotes`: how a text in quotes is typed there, for hints: the shell takes one pair of quotes away. */
function combine(tokens: readonly Token[], context: QueryContext, inQuotes: (text: string) => string): QueryParts {
  const wanted: Term[][] = []
  const parts: Mutable<Omit<QueryParts, 'wanted'>> = {
    ...{ excluded: [], agents: [], roles: [], tools: [], files: [], titles: [], projects: [], models: [] },
    ...{ tags: [], states: [] },
  }
  let isAlternative = false
  const words = withoutWords(tokens)
  for (const [index, token] of words.entries()) {
    if (isWord(token, 'OR')) {
      if (wanted.length === 0 || index === words.length - 1 || isAlternative) throw misplacedOr()
      isAlternative = true
      continue
    }
    if (isAlternative && token.excluded) throw misplacedOr()
    const filter = filterOf(token, inQuotes)
    if (filter && (token.excluded || isAlternative)) throw onlyForWords(token, filter)
    const term = filter ? undefined : termOf(token, inQuotes)
    if (filter) addFilter(parts, filter, context)
    else if (term && token.excluded) parts.excluded.push(term)
    else if (term && isAlternative) wanted.at(-1)!.push(term)
    else if (term) wanted.push([term])
    isAlternative = false
  }
  return { wanted, ...parts }
}

/** `AND` says what is so anyway, and `NOT` the same as a minus. */
function withoutWords(tokens: readonly Token[]): readonly Token[] {
  if (tokens.some((token) => isWord(token, 'OR')) && tokens.some(isInParentheses)) throw noParentheses()
  return tokens
    .map((token, index) => (index > 0 && isWord(tokens[index - 1]!, 'NOT') ? { ...token, excluded: true } : token))
    .filter((token, index) => !isWord(token, 'AND') && !(isWord(token, 'NOT') && index < tokens.length - 1))
}

function isWord({ text, quoted, excluded }: Token, word: string): boolean {
  return text === word && !quoted && !excluded
}

function isInParentheses({ text, quoted }: Token): boolean {
  return !quoted && /^\(\w|\w\)$/.test(text)
}

interface Filter {
  readonly operator: Operator
  readonly value: string
}

function addFilter(
  parts: Mutable<Omit<QueryParts, 'wanted'>>,
  { operator, value }: Filter,
  context: QueryContext,
): void {
  const names = value.split(',').filter(Boolean)
  if (operator === 'agent')
    add(
      parts.agents,
      names.map((name) => findAgent(name).id),
    )
  else if (operator === 'role')
    add(
      parts.roles,
      names.map((name) => oneOf(name, roles, 'role')),
    )
  else if (operator === 'is')
    add(
      parts.states,
      names.map((name) => oneOf(name, states, 'state')),
    )
  else if (operator === 'tag') add(parts.tags, names.map(parseTag))
  else if (operator === 'tool') add(parts.tools, names)
  else if (operator === 'file') add(parts.files, [value])
  else if (operator === 'title') add(parts.titles, [value])
  else if (operator === 'project' && !context.projects?.has(value)) add(parts.projects, [value])
  else if (operator === 'model') add(parts.models, [value])
  else if (operator === 'in' || operator === 'project') parts.folder = toFolder(value, context)
  else if (operator === 'before') parts.before = parseSince(value, context.now())
  else parts.since = parseSince(value, context.now())
}

function add<T>(list: T[], values: readonly T[]): void {
  for (const one of values) if (!list.includes(one)) list.push(one)
}

/** Splits at spaces outside quotes and regular expressions. An unclosed quote extends to the end. */
function tokensOf(text: string): Token[] {
  const pattern = /(-?)"([^"]*)(?:"|$)|(-?[a-z]+:)"([^"]*)(?:"|$)|(-?\/(?:\\.|[^/\\\n])+\/[gimsuy]*)(?=\s|$)|(\S+)/gi
  return [...text.matchAll(pattern)].map(([, minus, quoted, key, value, regex, word]) => {
    if (quoted !== undefined) return { text: quoted, quoted: true, excluded: minus === '-' }
    return wordToken(key === undefined ? (regex ?? word!) : key + value!)
  })
}

function wordToken(word: string): Token {
  const excluded = /^-[^\s-]/.test(word)
  return { text: excluded ? word.slice(1) : word, quoted: false, excluded }
}

function phrase(arg: string): Token {
  const { text, excluded } = wordToken(arg)
  return { text, quoted: true, excluded }
}

function termOf({ text, quoted }: Token, inQuotes: (text: string) => string): Term | undefined {
  const [, regex] = (!quoted && REGEX.exec(text)) || []
  if (regex !== undefined) return { regex: checked(regex, inQuotes) }
  const term = text.replace(/\s+/g, ' ').trim()
  return term === '' ? undefined : { text: term }
}

/** Not a path such as `/a/b/`. */
const REGEX = /^\/((?:\\.|[^/\\])+)\/[gimsuy]*$/s

function checked(regex: string, inQuotes: (text: string) => string): string {
  try {
    new RegExp(regex, 'u')
    return regex
  } catch (error) {
    throw new IonError('usage', `/${regex}/ is not a regular expression: ${(error as Error).message}`, {
      hint: `put it in quotes to search for the text itself: ${inQuotes(`/${regex}/`)}`,
    })
  }
}

/** `std::x`, `http://x` and `localhost:8080` are text. */
const FILTER = /^([a-z]{2,}):([^:/\\].*)$/is

function isFilter(arg: string): boolean {
  return operators.some((operator) => arg.toLowerCase().startsWith(`${operator}:`))
}

function filterOf({ text, quoted }: Token, inQuotes: (text: string) => string): Filter | undefined {
  const [, name, value] = (!quoted && FILTER.exec(text)) || []
  if (name === undefined || value === undefined)
    return isFilter(text) && !quoted ? openFilter(text, inQuotes) : undefined
  const operator = operators.find((known) => known === name.toLowerCase())
  if (operator) return { operator, value }
  if (/^\d+$/.test(value) || name !== name.toLowerCase()) return undefined
  const meant = nearest(name, operators)
  throw new IonError('usage', `unknown filter "${name}:"`, {
    hint: `${meant ? `did you mean ${meant}:? ` : ''}to search for the text itself, put it in quotes: ${inQuotes(text)}`,
  })
}

/** Values that begin like a path. */
function openFilter(text: string, inQuotes: (text: string) => string): Filter {
  const at = text.indexOf(':')
  const value = text.slice(at + 1)
  if (value !== '') return { operator: text.slice(0, at).toLowerCase() as Operator, value }
  throw new IonError('usage', `${text} needs a value`, {
    hint: `write it without a space, as ${text}…; to search for the text itself: ${inQuotes(text)}`,
  })
}

function oneOf<T extends string>(name: string, known: readonly T[], what: string): T {
  const found = known.find((one) => one === name.toLowerCase())
  if (found) return found
  const meant = nearest(name.toLowerCase(), known)
  throw new IonError('usage', `unknown ${what} "${name}"`, {
    hint: `${meant ? `did you mean ${meant}? ` : ''}known: ${known.join(', ')}`,
  })
}

function toFolder(path: string, { cwd, home, projects }: QueryContext): string {
  const named = projects?.get(path)
  if (named !== undefined) return named
  if (path === '~' || path.startsWith('~/')) return join(home, path.slice(1))
  return isAbsolute(path) ? resolve(path) : resolve(cwd, path)
}

function onlyForWords({ excluded }: Token, { operator, value }: Filter): IonError {
  const text = `${operator}:${value}`
  return new IonError(
    'usage',
    `${excluded ? `-${text}` : `OR ${text}`}: only words can be ${excluded ? 'excluded' : 'alternatives'}`,
    {
      hint: excluded
        ? `write -"${text}" to exclude this text itself`
        : `two filters ${operator}: already mean either of them`,
    },
  )
}

function misplacedOr(): IonError {
  return new IonError('usage', 'OR needs a word on each side', { hint: 'search for the word itself with "OR"' })
}

function noParentheses(): IonError {
  return new IonError('usage', 'there are no parentheses in queries', {
    hint: 'a OR b c means (a or b) and c; to search for a parenthesis, put the word in quotes',
  })
}
