import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { plain } from '../../../platform/plain-text.ts'
import { Icon } from '../../view/icons.tsx'
import { folderName } from '../labels.ts'
import { go, hrefOf, hrefWith, route } from '../state/route.ts'
import { filters, projectTitle } from '../state/sessions.ts'

const RANGES = [
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
  { value: '90d', label: 'Last 90 days' },
  { value: '365d', label: 'Last year' },
]

/** The search, and what every screen is filtered by. All of it is in the address. */
export function FilterBar(): JSX.Element {
  const { query, screen } = route.value
  const field = useRef<HTMLInputElement>(null)
  const words = query.get('q') ?? ''
  useEffect(() => {
    if (field.current && document.activeElement !== field.current) field.current.value = words
  }, [words])
  const set = (name: string, value: string): void => go(hrefWith({ [name]: value }))
  const since = query.get('since') ?? ''
  const hasFilters = ['agent', 'project', 'since'].some((name) => query.has(name))
  return (
    <search class="filter-bar">
      <form
        class="find"
        onSubmit={(event) => {
          event.preventDefault()
          const q = field.current?.value.trim() ?? ''
          if (q !== '') go(hrefOf({ screen: 'search', query: { q } }))
        }}
      >
        <Icon name="search" />
        <input
          ref={field}
          id="search"
          type="search"
          defaultValue={words}
          placeholder="Search all sessions"
          aria-label="Search all sessions"
          title='Words, "a phrase", a OR b, /regex/, -without, agent: project: file: role: since: … (/)'
          autocomplete="off"
          spellcheck={false}
        />
        <kbd class="key-hint">/</kbd>
      </form>
      {screen !== 'agents' && (
        <>
          <select
            aria-label="Agent"
            class={query.has('agent') ? 'set' : ''}
            value={query.get('agent') ?? ''}
            onChange={(event) => set('agent', event.currentTarget.value)}
          >
            <option value="">All agents</option>
            {withCurrent(
              filters.value?.agents.map(({ id, title, sessions }) => ({ value: id, label: `${title} (${sessions})` })),
              query.get('agent'),
            )}
          </select>
          <select
            aria-label="Project"
            class={query.has('project') ? 'set' : ''}
            value={query.get('project') ?? ''}
            onChange={(event) => set('project', event.currentTarget.value)}
          >
            <option value="">All projects</option>
            {withCurrent(
              filters.value?.projects.map(({ path, sessions }) => ({
                value: path,
                label: `${projectTitle(path)} (${sessions})`,
              })),
              query.get('project'),
            )}
          </select>
          <select
            aria-label="Time range"
            class={since === '' ? '' : 'set'}
            value={since}
            onChange={(event) => set('since', event.currentTarget.value)}
          >
            <option value="">Any time</option>
            {withCurrent(RANGES, since, (date) => `Since ${date}`)}
          </select>
          {hasFilters && (
            <a class="clear" href={hrefWith({ agent: undefined, project: undefined, since: undefined })}>
              Clear
            </a>
          )}
        </>
      )}
    </search>
  )
}

interface Choice {
  readonly value: string
  readonly label: string
}

/** The choices, and the one from the address even if it is not among them (yet). */
function withCurrent(
  choices: readonly Choice[] = [],
  current: string | null,
  labelOf: (value: string) => string = (value) => folderName(value),
): readonly JSX.Element[] {
  const isMissing = current && !choices.some(({ value }) => value === current)
  const all = isMissing ? [...choices, { value: current, label: labelOf(current) }] : choices
  return all.map(({ value, label }) => (
    <option key={value} value={value} title={plain(value)}>
      {plain(label)}
    </option>
  ))
}
