import { isAbsolute, join, resolve } from 'node:path'
import { findAgent } from '../agents/find.ts'
import { type Role, roles } from '../agents/passage.ts'
import { IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { parseSince } from '../platform/since.ts'
import type { SearchQuery } from './search-query.ts'

/** The parsed text of a query; limit and order come from options. */
export type QueryParts = Pick<SearchQuery, 'terms' | 'excluded' | 'agents' | 'roles' | 'since' | 'folder'>

type QueryContext = Pick<Io, 'now' | 'cwd' | 'home'>

interface Token {
  readonly text: string
  /** Inside quotes nothing has a special meaning. */
  readonly quoted: boolean
  readonly excluded: boolean
}

/** Names of agents and roles have no spaces; folders and times may. */
const QUERY = /"|^(?:agent|role):\S+\s|\s(?:agent|role|since|in):\S/i

/**
 * Parses a query from command-line arguments: words, `"phrases"`, `-word`, `-"a phrase"`, `agent:x`, `since:7d`,
 * `in:path`, `role:user`. An argument with spaces is a phrase, because the shell has removed its quotes; one that still
 * contains quotes, or a key next to other words, is parsed as a query itself.
 */
export function parseQuery(args: readonly string[], context: QueryContext): QueryParts {
  const tokens = args.flatMap((arg) => (QUERY.test(arg) ? tokensOf(arg) : [wholeToken(arg)]))
  return combine(tokens, context)
}

/** Parses a query that was typed as one line. */
export function parseQueryText(text: string, context: QueryContext): QueryParts {
  return combine(tokensOf(text), context)
}

function combine(tokens: readonly Token[], context: QueryContext): QueryParts {
  const terms: string[] = []
  const excluded: string[] = []
  const agents = new Set<string>()
  const wanted = new Set<Role>()
  const rest: { since?: Date; folder?: string } = {}
  for (const token of tokens) {
    const text = token.text.replace(/\s+/g, ' ').trim()
    if (text === '') continue
    const [, key, value] = (!token.quoted && /^(agent|role|since|in):(.+)$/is.exec(token.text)) || []
    if (key && value && token.excluded) throw cannotExclude(key, value)
    if (key === 'agent' && value) for (const name of value.split(',')) agents.add(findAgent(name).id)
    else if (key === 'role' && value) for (const name of value.split(',')) wanted.add(toRole(name))
    else if (key === 'since' && value) rest.since = parseSince(value, context.now())
    else if (key === 'in' && value) rest.folder = toFolder(value, context)
    else (token.excluded ? excluded : terms).push(text)
  }
  return { terms, excluded, agents: [...agents], roles: [...wanted], ...rest }
}

function wholeToken(arg: string): Token {
  const excluded = /^-[^\s-]/.test(arg)
  return { text: excluded ? arg.slice(1) : arg, quoted: false, excluded }
}

/** Splits at spaces outside quotes. An unclosed quote extends to the end. */
function tokensOf(text: string): Token[] {
  const pattern = /(-?)"([^"]*)(?:"|$)|(-?(?:agent|role|since|in):)"([^"]*)(?:"|$)|(\S+)/gi
  return [...text.matchAll(pattern)].map(([, minus, phrase, key, value, word]) => {
    if (phrase !== undefined) return { text: phrase, quoted: true, excluded: minus === '-' }
    return wholeToken(key === undefined ? word! : key + value!)
  })
}

function toRole(name: string): Role {
  const role = roles.find((known) => known === name.toLowerCase())
  if (role) return role
  throw new IonError('usage', `unknown role "${name}"`, { hint: `roles: ${roles.join(', ')}` })
}

function toFolder(path: string, { cwd, home }: QueryContext): string {
  if (path === '~' || path.startsWith('~/')) return join(home, path.slice(1))
  return isAbsolute(path) ? resolve(path) : resolve(cwd, path)
}

function cannotExclude(key: string, value: string): IonError {
  return new IonError('usage', `-${key}:${value}: only words can be excluded`, {
    hint: `write -"${key}:${value}" to exclude this text itself`,
  })
}
