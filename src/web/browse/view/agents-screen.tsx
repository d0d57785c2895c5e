import type { JSX } from 'preact'
import { plain } from '../../../platform/plain-text.ts'
import type { AgentEntry } from '../../../server/browse/contract.ts'
import { getAgents } from '../api.ts'
import { ageLabel, bytesLabel, fullTime } from '../labels.ts'
import { hrefOf } from '../state/route.ts'
import { useAnswer } from '../use-answer.ts'

export function AgentsScreen(): JSX.Element {
  const { body, error } = useAnswer<readonly AgentEntry[]>(getAgents)
  if (!body) {
    return <div class="pane nothing">{error ? <p class="bad">{plain(error)}</p> : <p class="late">Looking…</p>}</div>
  }
  // What is used comes first.
  const sorted = [...body].sort(
    (a, b) => Number(b.installed !== null) - Number(a.installed !== null) || b.sessions - a.sessions,
  )
  return (
    <div class="pane">
      <div class="pane-head">
        <h1>Agents</h1>
        <span class="quiet">{body.filter(({ installed }) => installed !== null).length} installed on this machine</span>
      </div>
      <div class="wide" tabIndex={0}>
        <table class="table agents">
          <thead>
            <tr>
              <th>Agent</th>
              <th>Installed</th>
              <th class="number">Sessions</th>
              <th class="number">Storage</th>
              <th>Newest</th>
              <th>Support</th>
              <th>Good to know</th>
            </tr>
          </thead>
          <tbody>
            {sorted.map((agent) => (
              <Agent key={agent.id} agent={agent} />
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}

function Agent({ agent }: { readonly agent: AgentEntry }): JSX.Element {
  const { id, title, installed, level, sessions, bytes, newest, problems, notes } = agent
  return (
    <tr class={installed === null && sessions === 0 ? 'not-counted' : ''}>
      <td>
        <b>{plain(title)}</b>
      </td>
      <td data-label="installed">{installed === null ? <span class="quiet">no</span> : plain(installed)}</td>
      <td class="number" data-label="sessions">
        {sessions === 0 ? (
          '–'
        ) : (
          <a href={hrefOf({ screen: 'sessions', query: { agent: id } })}>{sessions.toLocaleString()}</a>
        )}
      </td>
      <td class="number" data-label="storage">
        {bytes === 0 ? '–' : bytesLabel(bytes)}
      </td>
      <td data-label="newest" title={newest ? fullTime(newest) : undefined}>
        {ageLabel(newest, Date.now()) || '–'}
      </td>
      <td data-label="support">{plain(level)}</td>
      <td>
        {problems > 0 && <span class="badge warn">{problems.toLocaleString()} unreadable</span>}
        {notes.map((note, index) => (
          <p key={index} class="quiet agent-note">
            {plain(note)}
          </p>
        ))}
      </td>
    </tr>
  )
}
