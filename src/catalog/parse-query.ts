import { isAbsolute, join, resolve } from 'node:path'
import { findAgent } from '../agents/find.ts'
import { type Role, roles } from '../agents/passage.ts'
import { IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { parseSince } from '../platform/since.ts'
import type { SearchQuery } from './search-query.ts'

/** What the words of a query say; how many and in which order is said by options. */
export type QueryParts = Pick<SearchQuery, 'terms' | 'excluded' | 'agents' | 'roles' | 'since' | 'folder'>

type World = Pick<Io, 'now' | 'cwd' | 'home'>

interface Token {
  readonly text: string
  /** Inside quotes nothing has a meaning of its own. */
  readonly quoted: boolean
  readonly excluded: boolean
}

/** No name of an agent or a role has a blank; a folder and a time may. */
const QUERY = /"|^(?:agent|role):\S+\s|\s(?:agent|role|since|in):\S/i

/**
 * Reads a query as it comes from the command line: words, `"phrases"`, `-word`, `-"a phrase"`, `agent:x`, `since:7d`,
 * `in:path`, `role:user`. An argument with blanks is a phrase, because the shell has already taken its quotes away; one
 * that still has quotes in it, or a key beside other words, is read as a query of its own.
 */
export function parseQuery(args: readonly string[], world: World): QueryParts {
  const tokens = args.flatMap((arg) => (QUERY.test(arg) ? tokensOf(arg) : [wholeToken(arg)]))
  return combine(tokens, world)
}

/** Reads a query that was typed into one line. */
export function parseQueryText(text: string, world: World): QueryParts {
  return combine(tokensOf(text), world)
}

function combine(tokens: readonly Token[], world: World): QueryParts {
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
    else if (key === 'since' && value) rest.since = parseSince(value, world.now())
    else if (key === 'in' && value) rest.folder = toFolder(value, world)
    else (token.excluded ? excluded : terms).push(text)
  }
  return { terms, excluded, agents: [...agents], roles: [...wanted], ...rest }
}

function wholeToken(arg: string): Token {
  const excluded = /^-[^\s-]/.test(arg)
  return { text: excluded ? arg.slice(1) : arg, quoted: false, excluded }
}

/** Splits at blanks outside quotes. A quote that is never closed reaches to the end. */
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
  throw new IonError('usage', `there is no role "${name}"`, { hint: `roles: ${roles.join(', ')}` })
}

function toFolder(path: string, { cwd, home }: World): string {
  if (path === '~' || path.startsWith('~/')) return join(home, path.slice(1))
  return isAbsolute(path) ? resolve(path) : resolve(cwd, path)
}

function cannotExclude(key: string, value: string): IonError {
  return new IonError('usage', `-${key}:${value}: only words can be left out`, {
    hint: `write -"${key}:${value}" to leave out these words themselves`,
  })
}
