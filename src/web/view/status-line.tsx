import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
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
import { notice, overlay } from '../state/page.ts'
import { Tool } from './icons.tsx'
import { TokenForm } from './token-form.tsx'

/** The most important thing to know before writing; nothing if all is well. */
export function StatusLine(): JSX.Element | null {
  if (connection.value.state === 'refused' || needsToken.value) return <TokenForm />
  if (connection.value.state === 'lost') return <Lost retryAt={connection.value.retryAt} />
  if (notice.value) return <Notice {...notice.value} onDismiss={() => (notice.value = undefined)} />
  if (hasEnded.value) {
    return <Line tone="">The agent has ended (exit code {status.value?.exited}). The conversation stays readable.</Line>
  }
  if (waitingFor.value) {
    return (
      <Line tone="asks">
        <span>
          <b>{agentName} is waiting for you:</b> {waitingFor}
        </span>
        {overlay.value !== 'terminal' && (
          <button type="button" class="plain" onClick={() => (overlay.value = 'terminal')}>
            Answer in the terminal
          </button>
        )}
      </Line>
    )
  }
  if (isWorking.value) return <Working />
  if (lastError.value?.level === 'error') {
    return <Notice text={lastError.value.message} isError onDismiss={() => (lastError.value = undefined)} />
  }
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
  const since = useState(Date.now)[0]
  const seconds = Math.floor((useClock() - since) / 1000)
  const clock = seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return (
    <Line tone="">
      <span>
        <span class="dot works" /> {agentName} is working{seconds > 2 && <span class="quiet"> · {clock}</span>}
      </span>
      <span class="quiet wide-only">
        <kbd>Esc</kbd> interrupts
      </span>
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

function useClock(): number {
  const [now, tick] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => tick(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return now
}
