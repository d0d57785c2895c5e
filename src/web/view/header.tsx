import type { JSX } from 'preact'
import { agentName, connection, hasEnded, isWorking, status, title, waitingFor } from '../state/agent.ts'
import { overlay } from '../state/page.ts'
import { isSearching } from '../state/search.ts'
import { Icon } from './icons.tsx'

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
      <div class="tools" role="toolbar" aria-label="Session">
        <Tool icon="search" label="Search" isOn={isSearching.value} onClick={() => (isSearching.value = true)} />
        <Tool
          icon="terminal"
          label="Terminal"
          isOn={overlay.value === 'terminal'}
          onClick={() => (overlay.value = overlay.value === 'terminal' ? undefined : 'terminal')}
        />
        <Tool icon="share" label="Share" isExtra onClick={() => (overlay.value = 'share')} />
        <Tool icon="download" label="Export" isExtra onClick={() => (overlay.value = 'export')} />
        <Tool icon="help" label="Help" onClick={() => (overlay.value = 'help')} />
      </div>
    </header>
  )
}

interface ToolProps {
  readonly icon: Parameters<typeof Icon>[0]['name']
  readonly label: string
  readonly isOn?: boolean
  /** Hidden on narrow screens; the help has it too. */
  readonly isExtra?: boolean
  readonly onClick: () => void
}

function Tool({ icon, label, isOn, isExtra, onClick }: ToolProps): JSX.Element {
  return (
    <button
      type="button"
      class={isExtra ? 'tool wide-only' : 'tool'}
      title={label}
      aria-label={label}
      aria-pressed={isOn}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  )
}

function agentState(): { readonly label: string; readonly tone: string } {
  if (connection.value.state === 'lost') return { label: 'Not connected', tone: 'bad' }
  if (connection.value.state !== 'open') return { label: 'Connecting', tone: '' }
  if (hasEnded.value) return { label: 'Ended', tone: '' }
  if (waitingFor.value) return { label: 'Waiting for you', tone: 'asks' }
  return isWorking.value ? { label: 'Working', tone: 'works' } : { label: 'Ready', tone: 'ready' }
}
