import type { JSX } from 'preact'
import type { Replica } from '../api/contract.ts'
import { agentName, connection, hasEnded, isWorking, status, title, waitingFor } from '../state/agent.ts'
import { isSending } from '../state/outbox.ts'
import { isFinding, overlay } from '../state/page.ts'
import { replica, replicaReason } from '../state/replica.ts'
import { serverTime } from '../state/working.ts'
import { secondsLabel } from '../text/step-outcome.ts'
import { Tool } from './icons.tsx'
import { useClock } from './use-clock.ts'

export function Header(): JSX.Element {
  const { task } = status.value ?? {}
  const { label, tone } = agentState()
  const isStored = (replica.value?.state ?? 'stored') === 'stored'
  return (
    <header>
      <div class="names">
        <h1>{title}</h1>
        <p class="quiet">
          <span class={`dot ${tone}`} />
          {label}
          {/* Narrow screens cut off what comes last. */}
          {!isStored && <ReplicaLabel {...replica.value!} />}
          {[agentName.value, task !== title.value && task].filter(Boolean).map((text) => ` · ${text}`)}
          {isStored && replica.value && <ReplicaLabel {...replica.value} />}
        </p>
      </div>
      {/* The help has those that narrow screens hide. */}
      <div class="tools" role="toolbar" aria-label="Session">
        <Tool icon="search" label="Search" isOn={isFinding.value} onClick={() => (isFinding.value = true)} />
        <Tool
          icon="terminal"
          label="Terminal"
          isOn={overlay.value === 'terminal'}
          onClick={() => (overlay.value = overlay.value === 'terminal' ? undefined : 'terminal')}
        />
        <Tool icon="share" label="Share" class="wide-only" onClick={() => (overlay.value = 'share')} />
        <Tool icon="download" label="Export" class="wide-only" onClick={() => (overlay.value = 'export')} />
        <Tool icon="help" label="Help" onClick={() => (overlay.value = 'help')} />
      </div>
    </header>
  )
}

/** A start, and a large change, are behind for a moment. */
const LATE_S = 5

/** Whether the task is in the store that `--replica` names. */
function ReplicaLabel({ state, behind_since }: Replica): JSX.Element {
  const since = serverTime(useClock(state === 'behind')) - Date.parse(behind_since ?? '')
  const seconds = Math.max(0, Math.floor(since / 1000)) || 0
  const isLate = state === 'not stored' || replicaReason.value !== '' || seconds >= LATE_S
  return (
    <span class={`replica ${isLate ? 'warn' : ''}`} title={replicaReason.value}>
      {' · '}
      {state === 'behind' ? `store ${secondsLabel(seconds)} behind` : state}
    </span>
  )
}

function agentState(): { readonly label: string; readonly tone: string } {
  if (connection.value.state === 'lost') return { label: 'Not connected', tone: 'bad' }
  if (connection.value.state !== 'open') return { label: 'Connecting', tone: '' }
  if (hasEnded.value) return { label: 'Ended', tone: '' }
  if (waitingFor.value) return { label: 'Waiting for you', tone: 'asks' }
  // Ready means that the next message is sent at once.
  return isWorking.value || isSending.value ? { label: 'Working', tone: 'works' } : { label: 'Ready', tone: 'ready' }
}
