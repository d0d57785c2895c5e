import { computed, signal } from '@preact/signals'
import { interrupt, sendMessage, startAgent } from '../api/server.ts'
import { agentName, checkToken, refreshStatus } from './agent.ts'
import { messages } from './conversation.ts'
import { announce, notifyError } from './page.ts'
import type { Row } from './rows.ts'

interface Sent {
  readonly row: Extract<Row, { kind: 'prompt' }>
  /** Id of the newest message when it was sent. */
  readonly after: number
}

const outbox = signal<readonly Sent[]>([])

/** Prompts that were sent and are not in the transcript yet. */
export const pendingRows = computed((): readonly Row[] =>
  outbox.value.filter((sent) => !isListed(sent)).map(({ row }) => row),
)

/** A prompt is on its way to the agent. */
export const isSending = computed(() => outbox.value.length > 0)

function isListed({ row, after }: Sent): boolean {
  const text = row.text.trim()
  return messages.value.some(({ id, role, content }) => id > after && role === 'user' && content.trim() === text)
}

let count = 0
let lastSend: Promise<unknown> = Promise.resolve()

/** Shows the prompt at once; throws if the agent did not accept it. */
export async function send(text: string): Promise<void> {
  const message = { id: -1, role: 'user', content: text, time: '', parts: [], done: false } as const
  const row = { kind: 'prompt', key: `sent.${++count}`, message, text, pending: true } as const
  const sent: Sent = { row, after: messages.value.at(-1)?.id ?? -1 }
  outbox.value = [...outbox.value, sent]
  try {
    const sending = sendMessage(text, 'user')
    lastSend = sending.catch(() => undefined)
    await sending
  } catch (error) {
    checkToken(error)
    throw error
  } finally {
    outbox.value = outbox.value.filter((one) => one !== sent)
    refreshStatus()
  }
}

export async function interruptAgent(): Promise<void> {
  try {
    // An interrupt that overtakes its prompt would interrupt nothing.
    await lastSend
    await interrupt()
    announce('Interrupted')
  } catch (error) {
    checkToken(error)
    notifyError(`Not interrupted: ${(error as Error).message}`)
  }
}

export async function reopenAgent(): Promise<void> {
  try {
    await startAgent()
    announce(`${agentName.value} runs again`)
  } catch (error) {
    checkToken(error)
    notifyError(`Not reopened: ${(error as Error).message}`)
  }
  await refreshStatus()
}
