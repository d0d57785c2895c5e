import { batch } from '@preact/signals'
import {
  type AgentError,
  type Message,
  type MessagePreview,
  messageOf,
  type Replica,
  type Status,
} from '../api/contract.ts'
import type { StreamEvent } from '../api/event-stream.ts'
import { type Connection, follow } from '../api/follow.ts'
import { Refused } from '../api/refused.ts'
import { address } from '../api/server.ts'
import { agentName, connection, lastError, needsToken, refreshStatus, status } from './agent.ts'
import { applyChanges, dropRemoved, isLoaded, loadNewest, messages, preview } from './conversation.ts'
import { keepDraft } from './draft.ts'
import { announce, notice } from './page.ts'
import { keepTurn } from './working.ts'

const RETRY_MS = 1_500
const OPENED = Date.now()

let stream: { readonly retry: () => void } | undefined

/**
 * Loads the end of the conversation, then follows it while the page is open. Once in a page: the state of its chat is the page's.
 */
export async function start(): Promise<void> {
  keepDraft()
  keepTurn()
  await Promise.all([refreshStatus(), firstPage()])
  stream = follow({ url: eventsUrl, onEvents, onConnection })
}

export function retryNow(): void {
  stream?.retry()
}

async function firstPage(): Promise<void> {
  for (;;) {
    try {
      return await loadNewest()
    } catch (error) {
      if (error instanceof Refused && error.needsToken) {
        needsToken.value = true
        connection.value = { state: 'refused', why: error.message }
        return
      }
      connection.value = { state: 'lost', retryAt: Date.now() + RETRY_MS, why: 'The server does not answer.' }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}

let hasFollowed = false

/** From the newest message on, including it: it may have grown since it was loaded. */
async function eventsUrl(): Promise<string> {
  // It may be another server by now, which does not know what this page has received.
  if (hasFollowed) await dropRemoved()
  const newest = messages.value.at(-1)?.id
  return address(newest === undefined || newest === 0 ? 'events?full=true' : `events?full=true&after=${newest - 1}`)
}

function onConnection(now: Connection): void {
  const before = connection.value.state
  // A question that is asked at this moment is announced after it.
  if (now.state === 'open' && before !== 'open') announce('Connected')
  connection.value = now
  if (now.state === 'lost' && before === 'open') announce('Connection lost')
  if (now.state === 'refused') needsToken.value = true
  if (now.state !== 'open') return
  hasFollowed = true
  // The current one comes with the events.
  preview.value = undefined
  refreshStatus()
}

function onEvents(events: readonly StreamEvent[]): void {
  const changes = new Map<number, Message | undefined>()
  batch(() => {
    for (const { name, data } of events) {
      const value = parsed(data)
      const update = name === 'message_update' ? messageOf(value) : undefined
      if (update) changes.set(update.id, update)
      else if (name === 'message_removed') changes.set(Number((value as Partial<Message> | undefined)?.id), undefined)
      else if (name === 'message_preview') preview.value = value as MessagePreview | undefined
      else if (name === 'status_change') onStatus(value as Partial<Status>)
      else if (name === 'agent_error') onError(value as AgentError)
      else if (name === 'replica_change') onReplica(value as Replica)
    }
    const finished = isLoaded.value ? [...changes.values()].findLast(isNewAnswer) : undefined
    const count = messages.value.length
    applyChanges(changes)
    if (messages.value.length < count) announce('Messages were removed')
    if (finished) announce(`${agentName.value}: ${finalText(finished).slice(0, 300)}`)
  })
}

/** An answer is announced once, when it is complete. */
function isNewAnswer(update: Message | undefined): update is Message {
  if (!update) return false
  const known = messages.value.findLast(({ id }) => id === update.id)
  return update.role === 'agent' && update.done && finalText(update) !== '' && !known?.done
}

/** What the agent said last: the answer, after whatever it said and did on the way. */
function finalText({ parts }: Message): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).at(-1) ?? ''
}

function onStatus(change: Partial<Status>): void {
  status.value = { status: 'stable', ...status.value, ...change }
  refreshStatus()
}

/** An error from before the page was opened is only shown in the status line. */
function onError(error: AgentError): void {
  lastError.value = error
  if (Date.parse(error.time) > OPENED) notice.value = { text: error.message, isError: error.level === 'error' }
}

/** What else is known of the status is not asked for again. */
function onReplica(replica: Replica): void {
  if (status.value) status.value = { ...status.value, replica }
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return undefined
  }
}
