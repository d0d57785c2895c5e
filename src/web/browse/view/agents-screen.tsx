import type { JSX } from 'preact'
import type { Check } from '../../../doctor/check.ts'
import { plain } from '../../../platform/plain-text.ts'
import type { AgentEntry } from '../../../server/browse/contract.ts'
import { count } from '../../text/labels.ts'
import { getAgents, getDoctor } from '../api.ts'
import { ageLabel, bytesLabel, fullTime } from '../labels.ts'
import { hrefOf } from '../state/route.ts'
import { useAnswer } from '../use-answer.ts'

/** What is installed and stored; what the doctor says comes later, since it reads sessions for it. */
export function AgentsScreen(): JSX.Element {
  const { body, error } = useAnswer<readonly AgentEntry[]>(getAgents)
  const doctor = useAnswer(getDoctor)
  if (!body) {
    return <div class="pane nothing">{error ? <p class="bad">{plain(error)}</p> : <p class="late">Looking…</p>}</div>
  }
  // What is used comes first.
  const sorted = [...body].sort(
    (a, b) => Number(b.installed !== null) - Number(a.installed !== null) || b.sessions - a.sessions,
  )
  const found = (doctor.body ?? []).filter(({ verdict }) => verdict !== 'ok')
  const ofMachine = found.filter(({ agent }) => !body.some(({ id }) => id === agent))
  return (
    <div class="pane">
      <div class="pane-head">
        <h1>Agents</h1>
        <span class="quiet">{body.filter(({ installed }) => installed !== null).length} installed on this machine</span>
        <span class="grow" />
        <span class="quiet" role="status">
          {doctor.error ? `not checked: ${plain(doctor.error)}` : doctor.body ? summaryOf(doctor.body) : 'Checking…'}
        </span>
      </div>
      <Findings checks={ofMachine} />
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
              <Agent key={agent.id} agent={agent} found={found.filter((check) => check.agent === agent.id)} />
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}

/** As at the end of `ion doctor`. */
function summaryOf(checks: readonly Check[]): string {
  const amount = (verdict: Check['verdict']): number => checks.filter((check) => check.verdict === verdict).length
  const [warnings, errors] = [amount('warn'), amount('bad')]
  return `doctor: ${amount('ok')} ok, ${count(warnings, 'warning', 'warnings')}, ${count(errors, 'error', 'errors')}`
}

/** What is wrong, and what to type or change. */
function Findings({ checks }: { readonly checks: readonly Check[] }): JSX.Element | null {
  if (checks.length === 0) return null
  return (
    <ul class="findings">
      {checks.map(({ name, verdict, detail, fix }, index) => (
        <li key={index} class={`finding ${verdict}`}>
          <b>{plain(name)}</b> <WithCode text={detail} />
          {fix !== undefined && (
            <p class="quiet">
              → <WithCode text={fix} />
            </p>
          )}
        </li>
      ))}
    </ul>
  )
}

/** What is between backticks is code, as in the documents that these texts are also in. */
function WithCode({ text }: { readonly text: string }): JSX.Element {
  const parts = plain(text).split('`')
  return <>{parts.map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>
}

interface AgentProps {
  readonly agent: AgentEntry
  readonly found: readonly Check[]
}

function Agent({ agent, found }: AgentProps): JSX.Element {
  const { id, title, installed, level, sessions, bytes, newest, resume_note, limits } = agent
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
        <Findings checks={found} />
        {resume_note !== '' && (
          <p class="quiet">
            Resume: <WithCode text={resume_note} />
          </p>
        )}
        {limits !== '' && (
          <p class="quiet">
            Limits: <WithCode text={limits} />
          </p>
        )}
      </td>
    </tr>
  )
}
