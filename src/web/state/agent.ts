import { computed, signal } from '@preact/signals'
import { plain } from '../../platform/plain-text.ts'
import type { AgentError, Status } from '../api/contract.ts'
import type { Connection } from '../api/follow.ts'
import { Refused } from '../api/refused.ts'
import { getStatus } from '../api/server.ts'

export const status = signal<Status | undefined>(undefined)
export const connection = signal<Connection>({ state: 'connecting' })
/** Set when the server has refused a request because the token is missing. */
export const needsToken = signal(false)
/** How far the server's clock is ahead of this machine's, in milliseconds. */
export const clockAhead = signal(0)
export const lastError = signal<AgentError | undefined>(undefined)

/** The agent's name in sentences. */
export const agentName = computed(() => {
  const name = status.value?.agent ?? status.value?.agent_type
  return name ? name[0]!.toUpperCase() + name.slice(1) : 'The agent'
})

export const title = computed(() => plain(status.value?.title || status.value?.task || 'Session'))

/** The folder that paths are shown relative to. */
export const project = computed(() => status.value?.project)

export const hasEnded = computed(() => typeof status.value?.exited === 'number')
export const isWorking = computed(() => status.value?.status === 'running' && !hasEnded.value)
/** What the agent asks; nothing can be sent until that is answered. */
export const waitingFor = computed(() => (hasEnded.value ? undefined : (status.value?.waiting_for ?? undefined)))
/** Whether a message that is written now waits until the agent is ready. */
export const canQueue = computed(() => isWorking.value && !waitingFor.value && connection.value.state === 'open')

/** Why a message cannot be sent now; undefined if it can. */
export const whyNotSend = computed((): string | undefined => {
  if (connection.value.state === 'refused' || needsToken.value) return 'This page needs its token'
  if (connection.value.state !== 'open') return 'Not connected'
  if (hasEnded.value) return `${agentName.value} has ended`
  if (waitingFor.value) return `${agentName.value} asks something; answer that first`
  if (isWorking.value) return `${agentName.value} is working`
  return undefined
})

/** The shell command that opens the agent's terminal. */
export const attachCommand = computed(() => {
  const { agent, task } = status.value ?? {}
  return agent && task ? `ion attach ${agent}-${task}` : 'ion attach'
})

/** The shell command that continues the session in another agent. What is open in this one cannot be handed over. */
export function handoverCommand(target: string): string {
  const { agent, task, session_id } = status.value ?? {}
  const resume = `ion --resume ${session_id} --in ${target}`
  return hasEnded.value ? resume : `ion stop ${agent}-${task} && ${resume}`
}

/** Events have fewer fields (no title, no exit code), so every change requests the status again. */
export function refreshStatus(): Promise<void> {
  newest = readStatus(++requests)
  return newest
}

let requests = 0
let newest: Promise<void> | undefined

/** The answer to an earlier request may come last, and is then out of date. */
async function readStatus(request: number): Promise<void> {
  try {
    const { status: now, time } = await getStatus()
    if (request !== requests) return newest
    // The server names whole seconds, and the answer takes a moment.
    const ahead = time - Date.now()
    clockAhead.value = Math.abs(ahead) > 2_000 ? ahead : 0
    status.value = now
  } catch (error) {
    checkToken(error)
  }
}

/** Asks for the token if the error says that it is missing. */
export function checkToken(error: unknown): void {
  if (error instanceof Refused && error.needsToken) needsToken.value = true
}
