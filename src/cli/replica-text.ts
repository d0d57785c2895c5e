import { type CurrentStatus, summaryOf } from '../replica/status.ts'
import { oneLine } from './text.ts'

/** How far the store is behind, and why. */
export function replicaText(status: CurrentStatus, now: Date): string {
  const { state, behind_since, reason } = summaryOf(status)
  if (state !== 'behind') return oneLine(reason ?? state)
  const seconds = Math.max(0, Math.round((now.getTime() - Date.parse(behind_since ?? '')) / 1000)) || 0
  return oneLine(`${seconds} s behind${reason === null ? '' : `: ${reason}`}`)
}
