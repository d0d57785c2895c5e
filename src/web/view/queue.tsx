import type { JSX } from 'preact'
import { plain } from '../../platform/plain-text.ts'
import { agentName, isWorking } from '../state/agent.ts'
import { type Queued, queue, retryQueued, sendingId, takeQueued } from '../state/queue.ts'
import { Tool } from './icons.tsx'

/** What waits until the agent is ready. `onEdit` gets the text of a message that is taken back. */
export function Queue({ onEdit }: { readonly onEdit: (text: string) => void }): JSX.Element | null {
  const waiting = queue.value.filter(({ id }) => id !== sendingId.value)
  if (waiting.length === 0) return null
  return (
    <section class="queue" aria-label="Queued messages">
      <p class="quiet">{isWorking.value ? `Sent when ${agentName.value} is ready:` : 'Queued:'}</p>
      <ol>
        {waiting.map((one) => (
          <Waiting key={one.id} one={one} onEdit={onEdit} />
        ))}
      </ol>
    </section>
  )
}

function Waiting({ one, onEdit }: { readonly one: Queued; readonly onEdit: (text: string) => void }): JSX.Element {
  const { id, text, error } = one
  return (
    <li>
      <span class="queued">
        <span class="queued-text">{plain(text)}</span>
        {error !== undefined && <span class="bad">Not sent: {plain(error)}</span>}
      </span>
      {error !== undefined && (
        <button type="button" class="plain" onClick={() => retryQueued(id)}>
          Send again
        </button>
      )}
      <Tool icon="edit" label="Edit" class="small" onClick={() => onEdit(takeQueued(id))} />
      <Tool icon="close" label="Remove" class="small" onClick={() => takeQueued(id)} />
    </li>
  )
}
