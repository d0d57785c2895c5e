import { findAgent } from '../../agents/find.ts'
import type { Catalog, SteppedCatalog } from '../../catalog/catalog.ts'
import { isEmptyQuery, parseQuery } from '../../catalog/search/parse-query.ts'
import type { SearchHit, SearchQuery, SearchSummary } from '../../catalog/search/query.ts'
import { isUuid } from '../../events/id.ts'
import { requireTags } from '../../organise/tag.ts'
import { type ExitKind, IonError } from '../../platform/error.ts'
import { pluralize } from '../../platform/format-count.ts'
import { tilde } from '../../platform/home.ts'
import { toJsonText } from '../../platform/json-text.ts'
import { palette } from '../colour.ts'
import type { Context, OptionsOf, Run } from '../command.ts'
import type { search } from '../definitions/sessions.ts'
import { freshnessNotice } from '../freshness-notice.ts'
import { listTitle } from '../list-title.ts'
import { shownIds } from '../short-id.ts'
import { markedLine } from '../snippet.ts'
import { outputWidth } from '../terminal.ts'
import { ago, fit, oneLine } from '../text.ts'
import { countedSessions } from '../totals.ts'
import { parseLimit } from '../validate.ts'
import { refreshed, withCatalog } from '../with-catalog.ts'

const DEFAULT_LIMIT = 20

export const run: Run<typeof search> = async ([words], options, context) => {
  // Parsed before the index is opened, so that a mistake in the query is reported at once.
  const query = queryOf(words, options, context)
  return withCatalog(context, (catalog) => find(catalog, query, options.json, context))
}

function queryOf(words: readonly string[], options: OptionsOf<typeof search>, { io, config }: Context): SearchQuery {
  const parts = parseQuery(words, { ...io, projects: config.projects })
  if (parts.tags.length > 0) requireTags(parts.tags, io)
  if (isEmptyQuery(parts)) {
    const problem = parts.excluded.length > 0 ? 'the query only excludes words' : 'the search query is empty'
    throw new IonError('usage', problem, { hint: 'add a word to find; ion sessions lists sessions without searching' })
  }
  return {
    ...parts,
    agents: [...new Set([...parts.agents, ...options.agent.map((name) => findAgent(name).id)])],
    order: options.rank ? 'rank' : 'newest',
    limit: parseLimit(options.limit, DEFAULT_LIMIT) ?? Number.MAX_SAFE_INTEGER,
  }
}

/** Prints hits as they are found. As with grep, finding nothing is not success. */
export async function find(
  catalog: SteppedCatalog,
  query: SearchQuery,
  json: boolean,
  context: Context,
): Promise<ExitKind> {
  const { out, err } = context
  const report = refreshed(catalog, context)
  const steps = catalog.searchSteps(query)
  let hits = 0
  let step = steps.next()
  for (; !step.done; step = steps.next()) {
    const hit = step.value
    if (!hit) continue
    out.write(json ? `${toJsonText(hit)}\n` : `${hits > 0 ? '\n' : ''}${hitLines(hit, catalog, context).join('\n')}\n`)
    hits++
    await out.drained?.()
  }
  const notes = json ? [summaryJson(step.value)] : notesOf(step.value, hits)
  for (const note of [freshnessNotice(report, context), ...notes]) if (note) err.write(`${palette(err).faint(note)}\n`)
  return hits > 0 ? 'ok' : 'failed'
}

/** For a script: whether the answer is complete, and what is missing. */
function summaryJson({ isCut, ...summary }: SearchSummary): string {
  return toJsonText({ ...summary, cut: isCut })
}

/** What was searched, and what was not. */
function notesOf({ searched, sub_agents, hidden, unsearched, isCut }: SearchSummary, hits: number): string[] {
  const totals = { sessions: searched - sub_agents - hidden, sub_agents, hidden }
  const summary = isCut
    ? `showing ${pluralize(hits, 'session')}; --limit 0 shows all`
    : `${hits === 0 ? 'nothing found; ' : ''}searched ${countedSessions(totals)}`
  return [...unsearchedNotes(unsearched), summary]
}

/** So many are listed. */
const MAX_NOTES = 5

function unsearchedNotes(unsearched: SearchSummary['unsearched']): string[] {
  const notes = unsearched.map(({ path, problem }) => oneLine(`not searched: ${path}: ${problem}`))
  const rest = notes.length - MAX_NOTES
  return [
    ...notes.slice(0, MAX_NOTES),
    ...(rest > 0 ? [`not searched: ${rest} more; --json lists all`] : []),
    ...(notes.length > 0 ? ['ion doctor says why, and what to do'] : []),
  ]
}

/** The session's title, its facts and the matching text. */
function hitLines(hit: SearchHit, catalog: Catalog, { io, out }: Context): string[] {
  const colours = palette(out)
  const columns = outputWidth({ io, out })
  const snippetColumns = outputWidth({ io, out }, 120)
  const { session, role, more } = hit
  const id = shownIds([session], catalog, out)(session)
  const facts = [
    hit.event === null ? id : `${id}#${out.isTTY ? shortEvent(hit.event) : hit.event}`,
    session.agent,
    ago(hit.timestamp, io.now()),
    hit.only_in_archive ? onlyThere(session) : '',
    oneLine(tilde(session.cwd ?? '', io)),
  ]
  const title = fit(listTitle(session, 'untitled'), columns)
  const rest = fit(facts.filter(Boolean).join(' · '), columns - 2)
  const tail = more > 0 ? ` (+${more})` : ''
  const snippet = markedLine(hit, snippetColumns - 4 - role.length - tail.length, colours.mark)
  return [
    colours.strong(title),
    `  ${colours.faint(rest)}`,
    `  ${colours.accent(`${role}:`)} ${snippet}${colours.faint(tail)}`,
  ]
}

/** As much as `ion show` needs to find it: a UUID is recognised by its beginning. */
function shortEvent(event: string): string {
  return isUuid(event) ? event.slice(0, 8) : event
}

/** Where to read a text that the agent no longer has. */
function onlyThere({ only_in_archive }: SearchHit['session']): string {
  return only_in_archive ? "only in Ion's archive" : "only in Ion's archive: ion show --archived"
}
