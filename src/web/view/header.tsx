import type { JSX } from 'preact'
import { agentName, connection, hasEnded, isWorking, status, title, waitingFor } from '../state/agent.ts'
import { isSending } from '../state/outbox.ts'
import { overlay } from '../state/page.ts'
import { isSearching } from '../state/search.ts'
import { Tool } from './icons.tsx'

export function Header(): JSX.Element {
  const { task } = status.value ?? {}
  const { label, tone } = agentState()
  return (
    <header>
      <div class="names">
        <h1>{title}</h1>
        <p class="quiet">
          <span class={`dot ${tone}`} />
          {[label, agentName.value, task !== title.value && task].filter(Boolean).join(' · ')}
        </p>
      </div>
      {/* The help has those that narrow screens hide. */}
      <div class="tools" role="toolbar" aria-label="Session">
        <Tool icon="search" label="Search" isOn={isSearching.value} onClick={() => (isSearching.value = true)} />
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

function agentState(): { readonly label: string; readonly tone: string } {
  if (connection.value.state === 'lost') return { label: 'Not connected', tone: 'bad' }
  if (connection.value.state !== 'open') return { label: 'Connecting', tone: '' }
  if (hasEnded.value) return { label: 'Ended', tone: '' }
  if (waitingFor.value) return { label: 'Waiting for you', tone: 'asks' }
  // Ready means that the next message is sent at once.
  return isWorking.value || isSending.value ? { label: 'Working', tone: 'works' } : { label: 'Ready', tone: 'ready' }
}
