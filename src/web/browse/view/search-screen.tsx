import type { ComponentChildren, JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { plain } from '../../../platform/plain-text.ts'
import type { SearchHitEntry, SearchLine } from '../../../server/browse/contract.ts'
import { announce } from '../../state/page.ts'
import { count } from '../../text/labels.ts'
import { searchLines } from '../api.ts'
import { ageLabel, folderName, fullTime, titleOf } from '../labels.ts'
import { hrefOf, route } from '../state/route.ts'
import { agentTitle } from '../state/sessions.ts'
import { SearchGrammar } from './search-grammar.tsx'
import { useLines } from './use-lines.ts'

const LIMIT = 100

export function SearchScreen(): JSX.Element {
  const { query } = route.value
  const q = query.get('q') ?? ''
  const [agent, project, since] = ['agent', 'project', 'since'].map((name) => query.get(name) ?? undefined)
  const { lines, isDone, error } = useLines<SearchLine>(
    (signal) => searchLines({ q, agent, project, since, limit: LIMIT }, signal),
    q === '' ? undefined : JSON.stringify([q, agent, project, since]),
  )
  const hits = lines.flatMap((line) => ('hit' in line ? [line.hit] : []))
  const progress = lines.findLast((line) => 'progress' in line)
  const end = lines.findLast((line) => 'done' in line)
  useEffect(() => {
    if (isDone && q !== '') announce(count(hits.length, 'session found', 'sessions found'))
  }, [isDone])
  if (q === '') {
    return (
      <div class="pane nothing">
        <div>
          <p>Search the text of all sessions.</p>
          <SearchGrammar />
        </div>
      </div>
    )
  }
  return (
    <div class="pane">
      <div class="pane-head">
        <h1>{q}</h1>
        <span class="quiet">{summary()}</span>
      </div>
      {!isDone && progress && 'progress' in progress && (
        <progress max={progress.progress.total} value={progress.progress.done} aria-label="Searched sessions" />
      )}
      {error && <p class="bad">{plain(error)}</p>}
      <ol class="hits">
        {hits.map((hit) => (
          <Hit key={`${hit.session.id} ${hit.event}`} hit={hit} />
        ))}
      </ol>
      {isDone && !error && hits.length === 0 && (
        <div class="empty-tab">
          <p>Nothing found.</p>
          {[agent, project, since].some(Boolean) && (
            <a href={hrefOf({ screen: 'search', query: { agent: undefined, project: undefined, since: undefined } })}>
              Search without filters
            </a>
          )}
        </div>
      )}
    </div>
  )

  function summary(): string {
    if (!isDone) {
      if (!progress || !('progress' in progress)) return 'searching…'
      return `${progress.progress.done.toLocaleString()} of ${progress.progress.total.toLocaleString()} sessions…`
    }
    if (!end || !('done' in end)) return ''
    const { searched, unsearched, is_cut } = end.done
    return [
      `${hits.length}${is_cut ? '+' : ''} of ${count(searched, 'session', 'sessions')}`,
      unsearched > 0 && `${unsearched} could not be searched`,
      is_cut && 'narrow the search to see more',
    ]
      .filter(Boolean)
      .join(' · ')
  }
}

function Hit({ hit }: { readonly hit: SearchHitEntry }): JSX.Element {
  const { session, event, snippet, marks, more } = hit
  return (
    <li>
      <a
        class="hit"
        href={hrefOf({ screen: 'sessions', session: session.id, event: event ?? undefined, query: { q: undefined } })}
      >
        <span class="row-title">
          <b>{titleOf(session.title, session.id)}</b>
          <time dateTime={session.updated_at ?? ''} title={fullTime(session.updated_at)}>
            {ageLabel(session.updated_at, Date.now())}
          </time>
        </span>
        <span class="snippet">{marked(snippet, marks)}</span>
        <span class="row-about">
          <span class="about">
            {plain(agentTitle(session.agent))}
            {session.project && ` · ${folderName(session.project)}`}
            {more > 0 && ` · ${more.toLocaleString()} more in this session`}
          </span>
          {session.only_in_archive && <span class="badge archive">only in the archive</span>}
        </span>
      </a>
    </li>
  )
}

/** The places come in order; each piece is cleaned on its own, so that they stay right. */
function marked(text: string, marks: SearchHitEntry['marks']): readonly ComponentChildren[] {
  const pieces: ComponentChildren[] = []
  let at = 0
  for (const [from, to] of marks) {
    if (from < at) continue
    pieces.push(plain(text.slice(at, from)), <mark key={from}>{plain(text.slice(from, to))}</mark>)
    at = to
  }
  return [...pieces, plain(text.slice(at))]
}
