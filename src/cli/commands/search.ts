import { findAgent } from '../../agents/find.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { parseQuery } from '../../catalog/parse-query.ts'
import type { SearchHit, SearchQuery } from '../../catalog/search-query.ts'
import { type ExitKind, IonError } from '../../platform/error.ts'
import { formatCount } from '../../platform/format-count.ts'
import { tilde } from '../../platform/home.ts'
import { toJsonText } from '../../platform/json-text.ts'
import { palette } from '../colour.ts'
import type { Context, OptionsOf, Run } from '../command.ts'
import type { search } from '../definitions/sessions.ts'
import { listTitle } from '../list-title.ts'
import { shownIds } from '../short-id.ts'
import { markedLine } from '../snippet.ts'
import { outputWidth } from '../terminal.ts'
import { ago, fit, oneLine } from '../text.ts'
import { countedSessions } from '../totals.ts'
import { parseLimit } from '../validate.ts'
import { freshnessNotice, refreshed, withCatalog } from '../with-catalog.ts'

const DEFAULT_LIMIT = 20

export const run: Run<typeof search> = async ([words], options, context) => {
  // Parsed before the index is opened, so that a mistake in the query is reported at once.
  const query = queryOf(words, options, context)
  return withCatalog(context, (catalog) => find(catalog, query, options.json, context))
}

function queryOf(words: readonly string[], options: OptionsOf<typeof search>, { io }: Context): SearchQuery {
  const parts = parseQuery(words, io)
  if (parts.terms.length === 0) {
    throw new IonError('usage', 'the search query is empty', { hint: 'ion sessions lists sessions without searching' })
  }
  return {
    ...parts,
    agents: [...new Set([...parts.agents, ...options.agent.map((name) => findAgent(name).id)])],
    order: options.rank ? 'rank' : 'newest',
    deep: options.deep,
    limit: parseLimit(options.limit, DEFAULT_LIMIT) ?? Number.MAX_SAFE_INTEGER,
  }
}

/** Updates the full-text index, searches and prints. As with grep, finding nothing is not success. */
export function find(catalog: Catalog, query: SearchQuery, json: boolean, context: Context): ExitKind {
  const { out, err } = context
  const report = refreshed(catalog, context, { text: true })
  const { hits, unindexed } = catalog.search(query)
  if (json) for (const hit of hits) out.write(`${toJsonText(hit)}\n`)
  else if (hits.length > 0) out.write(`${hitLines(hits, catalog, context).join('\n')}\n`)
  const totals = catalog.totals()
  const isEmpty = totals.sessions + totals.sub_agents + totals.hidden === 0
  const notes = [
    `${hits.length === 0 ? 'nothing found; ' : ''}searched ${countedSessions(totals)}${unindexed > 0 ? `, without ${formatCount(unindexed)} that are not yet indexed` : ''}`,
    ...(hits.length >= query.limit ? [`showing the first ${hits.length}; --limit 0 shows all`] : []),
    ...(hits.length === 0 && !query.deep && !isEmpty
      ? ['very long texts are only partly indexed: --deep searches all of them']
      : []),
    freshnessNotice(report, context),
  ]
  for (const note of notes) if (note) err.write(`${palette(err).faint(note)}\n`)
  return hits.length > 0 ? 'ok' : 'failed'
}

/** For each session its title, its facts and the matching text. */
function hitLines(hits: readonly SearchHit[], catalog: Catalog, { io, out }: Context): string[] {
  const colours = palette(out)
  const columns = outputWidth({ io, out })
  const snippetColumns = outputWidth({ io, out }, 120)
  const sessions = hits.map(({ session }) => session)
  const shown = shownIds(sessions, catalog, out)
  return hits.flatMap((hit, index) => {
    const { session, role, more } = hit
    const mark = hit.only_in_archive ? onlyThere(session) : ''
    const facts = [
      shown(session),
      session.agent,
      ago(hit.timestamp, io.now()),
      mark,
      oneLine(tilde(session.cwd ?? '', io)),
    ]
    const titleColumns = Math.max(20, columns - facts.slice(0, 3).join(' ').length - 6)
    const title = fit(listTitle(session, 'untitled'), titleColumns)
    const rest = fit(facts.filter(Boolean).join(' · '), columns - 2)
    const tail = more > 0 ? ` (+${more})` : ''
    const snippet = markedLine(hit, snippetColumns - 4 - role.length - tail.length, colours.mark)
    return [
      ...(index > 0 ? [''] : []),
      `${colours.strong(title)}`,
      `  ${colours.faint(rest)}`,
      `  ${colours.accent(`${role}:`)} ${snippet}${colours.faint(tail)}`,
    ]
  })
}

/** Where to read a text that the agent no longer has. */
function onlyThere({ only_in_archive }: SearchHit['session']): string {
  return only_in_archive ? "only in Ion's archive" : "only in Ion's archive: ion show --archived"
}
