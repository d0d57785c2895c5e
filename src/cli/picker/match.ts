import { parseQueryText } from '../../catalog/search/parse-query.ts'
import { type Term, TermMatcher } from '../../catalog/search/term.ts'
import { TextMatcher } from '../../catalog/search/text-query.ts'
import type { SessionRow } from '../../catalog/session-row.ts'
import { messageOf } from '../../platform/error.ts'
import { searchForm } from '../../platform/fold.ts'
import type { Io } from '../../platform/io.ts'
import { tagText } from '../list-title.ts'

/** A session of the list, with everything that it is found by, in the form that is compared. */
export interface Listed {
  readonly row: SessionRow
  readonly text: string
}

/** Between two fields, so that no word matches across them. */
const BETWEEN = '\0'

export function toListed(row: SessionRow): Listed {
  return { row, text: searchForm(fieldsOf(row).join(BETWEEN)) }
}

/** What a session is found by besides its text. */
export function fieldsOf({ title, tags, note, cwd, agent, id }: SessionRow): string[] {
  return [title ?? '', cwd ?? '', agent, id, tagText(tags), note ?? '']
}

/** What was typed, as it is looked for in what sessions are found by. */
export interface Wanted {
  /** One of each group must be in it, and nothing of `excluded`. */
  readonly groups: readonly (readonly Test[])[]
  readonly excluded: readonly Test[]
  /** Finds the places to mark; undefined if there is nothing to mark. */
  readonly matcher: TextMatcher | undefined
  /** It has filters such as `role:`, which only a search in the sessions themselves can answer. */
  readonly isOnlyText: boolean
  /** Why it is not a query: an unfinished or unknown filter. Then it is looked for as plain words. */
  readonly problem: string
}

/** A string of the compared form, or a regular expression. */
type Test = string | TermMatcher

export const nothingWanted: Wanted = { groups: [], excluded: [], matcher: undefined, isOnlyText: false, problem: '' }

/** Folders and times do not matter here: filters are left to the search. */
const nowhere: Pick<Io, 'now' | 'cwd' | 'home'> = { now: () => new Date(0), cwd: '/', home: '/' }

export function parseWanted(query: string): Wanted {
  if (query.trim() === '') return nothingWanted
  try {
    const { wanted, excluded, ...filters } = parseQueryText(query, nowhere)
    return wantedOf(wanted, excluded, Object.values(filters).some(isSet), '')
  } catch (error) {
    const words = query.trim().split(/\s+/)
    return wantedOf(
      words.map((text) => [{ text }]),
      [],
      false,
      messageOf(error),
    )
  }
}

function isSet(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined
}

function wantedOf(
  wanted: readonly (readonly Term[])[],
  excluded: readonly Term[],
  isOnlyText: boolean,
  problem: string,
): Wanted {
  return {
    groups: wanted.map((group) => group.map(testOf)),
    excluded: excluded.map(testOf),
    matcher: wanted.length > 0 ? new TextMatcher({ wanted, excluded }) : undefined,
    isOnlyText,
    problem,
  }
}

function testOf(term: Term): Test {
  return 'text' in term ? searchForm(term.text) : new TermMatcher(term)
}

/** The sessions that are found by their name, folder, agent or id, in their order. */
export function matching(rows: readonly Listed[], wanted: Wanted): readonly Listed[] {
  if (wanted.isOnlyText) return []
  const { groups, excluded } = wanted
  if (groups.length === 0 && excluded.length === 0) return rows
  // The most frequent query: one word after the other.
  if (excluded.length === 0 && groups.every((group) => group.length === 1 && typeof group[0] === 'string')) {
    const words = groups.map((group) => group[0] as string)
    return rows.filter(({ text }) => words.every((word) => text.includes(word)))
  }
  return rows.filter(
    ({ text }) =>
      groups.every((group) => group.some((test) => passes(text, test))) && !excluded.some((test) => passes(text, test)),
  )
}

/** What of the query is not in a text. */
export function missingIn(text: string, { groups }: Wanted): Wanted['groups'] {
  const form = searchForm(text)
  return groups.filter((group) => !group.some((test) => passes(form, test)))
}

/** Whether one of the groups is in a text. */
export function hasOneOf(text: string, groups: Wanted['groups']): boolean {
  const form = searchForm(text)
  return groups.some((group) => group.some((test) => passes(form, test)))
}

function passes(text: string, test: Test): boolean {
  return typeof test === 'string' ? text.includes(test) : test.test(text, text)
}
