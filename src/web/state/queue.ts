import { effect, signal } from '@preact/signals'
import { agentName, isWorking, refreshStatus, status, whyNotSend } from './agent.ts'
import { isSending, send } from './outbox.ts'
import { announce } from './page.ts'

/** A message that was written while the agent worked. */
export interface Queued {
  readonly id: string
  readonly text: string
  /** Why it was not sent. It then waits for the user, not for the agent. */
  readonly error?: string
}

/** Messages that wait until the agent is ready, in the order in which they are sent, one at a time. */
export const queue = signal<readonly Queued[]>([])
/** The one that is being sent. */
export const sendingId = signal<string | undefined>(undefined)

/** Whether a message has to wait: the agent works, or others wait before it. */
export function mustQueue(): boolean {
  return isWorking.value || isSending.value || queue.value.length > 0
}

export function enqueue(text: string): void {
  queue.value = [...queue.value, { id: newId(), text }]
  announce(`Queued: sent when ${agentName.value} is ready`)
}

/** Returns the text of a waiting message, which is then no longer in the queue. */
export function takeQueued(id: string): string {
  const text = queue.value.find((one) => one.id === id)?.text ?? ''
  queue.value = queue.value.filter((one) => one.id !== id)
  return text
}

/** After an error: sends it when the agent is ready. */
export function retryQueued(id: string): void {
  queue.value = queue.value.map((one) => (one.id === id ? { id: newId(), text: one.text } : one))
}

/** Per task: another server may use the same address later, and must not get these messages. */
const storageKey = (): string | undefined => {
  if (!status.value) return undefined
  const { project = '', agent = '', task = '' } = status.value
  return `ion-queue ${project} ${agent} ${task}`
}

let loadedKey: string | undefined

// The queue survives a reload: sessionStorage belongs to this tab.
effect(() => {
  const key = storageKey()
  const waiting = queue.value
  if (key === undefined) return
  if (key !== loadedKey) {
    loadedKey = key
    queue.value = stored(key)
  } else if (waiting.length > 0) sessionStorage.setItem(key, JSON.stringify(waiting))
  else sessionStorage.removeItem(key)
})

effect(() => {
  const [next] = queue.value
  const isNext = next !== undefined && next.error === undefined && sendingId.value === undefined
  if (isNext && !isSending.value && whyNotSend.value === undefined) void sendNext(next.id)
})

async function sendNext(id: string): Promise<void> {
  sendingId.value = id
  try {
    // Events may be late: asked again, so that nothing is sent to an agent that works or asks something.
    await refreshStatus()
    const next = queue.value.find((one) => one.id === id)
    if (!next || whyNotSend.value !== undefined) return
    if (!(await claim(id))) return fail(id, 'it may have been sent already; look at the conversation')
    await send(next.text)
    takeQueued(id)
  } catch (error) {
    fail(id, (error as Error).message)
  } finally {
    sendingId.value = undefined
  }
}

function fail(id: string, error: string): void {
  queue.value = queue.value.map((one) => (one.id === id ? { ...one, error } : one))
  announce(`Not sent: ${error}`)
}

const CLAIMED = 'ion-sent'
const MAX_CLAIMED = 50

/**
 * Whether this message has not been sent before: by this page before it was reloaded, or by a duplicate of its tab, which has
 * the same queue.
 */
async function claim(id: string): Promise<boolean> {
  const claimed = (localStorage.getItem(CLAIMED) ?? '').split(' ')
  if (claimed.includes(id) || !(await takeLock(`${CLAIMED} ${id}`))) return false
  localStorage.setItem(CLAIMED, [...claimed, id].slice(-MAX_CLAIMED).join(' '))
  return true
}

/**
 * Two tabs may be two processes, each of which sees a moment later what the other has stored, but only one of them gets a lock.
 * Browsers offer locks only to secure origins; this machine is one.
 */
function takeLock(name: string): Promise<boolean> {
  if (!navigator.locks) return Promise.resolve(true)
  return new Promise((resolve) => {
    void navigator.locks.request(name, { ifAvailable: true }, (lock) => {
      resolve(lock !== null)
      return lock && new Promise(() => {})
    })
  })
}

/** Not `randomUUID`, which browsers offer only to secure origins. */
function newId(): string {
  return `${Date.now().toString(36)}${Math.random().toString(36).slice(2)}`
}

function stored(key: string): readonly Queued[] {
  try {
    const values = JSON.parse(sessionStorage.getItem(key) ?? '[]') as readonly Partial<Queued>[]
    return values.filter(
      (one): one is Queued => typeof one?.id === 'string' && typeof one.text === 'string' && one.text !== '',
    )
  } catch {
    return []
  }
}
