import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import { plain } from '../../platform/plain-text.ts'
import {
  agentName,
  connection,
  hasEnded,
  isWorking,
  lastError,
  needsToken,
  status,
  waitingFor,
} from '../state/agent.ts'
import { retryNow } from '../state/live.ts'
import { reopenAgent } from '../state/outbox.ts'
import { notice, overlay } from '../state/page.ts'
import { questionText } from '../state/question.ts'
import { replicaReason } from '../state/replica.ts'
import { serverTime, turn } from '../state/working.ts'
import { secondsLabel } from '../text/step-outcome.ts'
import { Tool } from './icons.tsx'
import { TokenForm } from './token-form.tsx'
import { useClock } from './use-clock.ts'

/** The most important thing to know before writing; nothing if all is well. `hasNotices`: notifications are shown here. */
export function StatusLine({ hasNotices }: { readonly hasNotices: boolean }): JSX.Element | null {
  if (connection.value.state === 'refused' || needsToken.value) return <TokenForm />
  if (connection.value.state === 'lost') return <Lost retryAt={connection.value.retryAt} />
  if (hasNotices && notice.value) return <Notice {...notice.value} onDismiss={() => (notice.value = undefined)} />
  if (hasEnded.value) return <Ended />
  if (waitingFor.value) return overlay.value === 'terminal' ? <Line tone="asks">{questionText}</Line> : null
  if (isWorking.value) return <Working />
  if (lastError.value?.level === 'error') {
    return <Notice text={lastError.value.message} isError onDismiss={() => (lastError.value = undefined)} />
  }
  if (replicaReason.value) return <Line tone="bad">{replicaReason}</Line>
  return null
}

function Line({ tone, children }: { readonly tone: string; readonly children: ComponentChildren }): JSX.Element {
  return <div class={`status-line ${tone}`}>{children}</div>
}

interface NoticeProps {
  readonly text: string
  readonly isError: boolean
  readonly onDismiss: () => void
}

function Notice({ text, isError, onDismiss }: NoticeProps): JSX.Element {
  return (
    <Line tone={isError ? 'bad' : ''}>
      <span>{plain(text)}</span>
      <Tool icon="close" label="Dismiss" class="small" onClick={onDismiss} />
    </Line>
  )
}

function Working(): JSX.Element {
  const seconds = Math.floor((serverTime(useClock()) - (turn.value?.since ?? Number.NaN)) / 1000)
  return (
    <Line tone="">
      <span>
        <span class="dot works" /> {agentName} is working
        {seconds > 2 && <span class="quiet"> · {secondsLabel(seconds)}</span>}
      </span>
      <span class="quiet wide-only">
        <kbd>Esc</kbd> interrupts
      </span>
    </Line>
  )
}

/** Its session is still there: the agent is started again, and continues with it. */
function Ended(): JSX.Element {
  const [isOpening, setOpening] = useState(false)
  const reopen = async (): Promise<void> => {
    setOpening(true)
    await reopenAgent()
    setOpening(false)
  }
  return (
    <Line tone="">
      <span>
        {agentName} has ended <span class="quiet">(exit code {status.value?.exited})</span>
      </span>
      <button type="button" class="primary" disabled={isOpening} onClick={reopen}>
        {isOpening ? 'Reopening…' : 'Reopen'}
      </button>
    </Line>
  )
}

function Lost({ retryAt }: { readonly retryAt: number }): JSX.Element {
  const left = Math.max(0, Math.ceil((retryAt - useClock()) / 1000))
  return (
    <Line tone="bad">
      <span>Connection lost. {left > 0 ? `Trying again in ${left} s.` : 'Trying again…'}</span>
      <button type="button" class="plain" onClick={retryNow}>
        Try now
      </button>
    </Line>
  )
}
