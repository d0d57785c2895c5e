import { computed, effect } from '@preact/signals'
import { plain } from '../../platform/plain-text.ts'
import { connection, status } from './agent.ts'
import { announce } from './page.ts'

/** How far the store is behind in which the task is kept; undefined if there is none. */
export const replica = computed(() => status.value?.replica ?? undefined)

/** Why it is not stored, as a sentence; empty if it is, or only takes its time. */
export const replicaReason = computed((): string => {
  const { state, reason } = replica.value ?? {}
  const text = plain(reason ?? '')
  if (!text) return ''
  return state === 'behind' ? `Not stored yet: ${text}` : text[0]!.toUpperCase() + text.slice(1)
})

// Not that it takes its time: a start and a large change do.
let announced = ''
effect(() => {
  const reason = replicaReason.value
  if (connection.value.state !== 'open' || reason === announced) return
  if (!reason && replica.value?.state !== 'stored') return
  announced = reason
  announce(reason || 'Stored again')
})
