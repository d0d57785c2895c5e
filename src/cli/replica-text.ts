import type { CurrentStatus } from '../replica/status.ts'
import { oneLine } from './text.ts'

/** How far the store is behind, and why. */
export function replicaText(
  { state, is_running, is_used_since, behind_since, problem }: CurrentStatus,
  now: Date,
): string {
  if (state === 'ended') return is_used_since ? 'used since without its replica: not stored' : 'stored'
  if (state === 'fenced') return oneLine(`not stored any more: ${problem ?? 'another workspace has taken over'}`)
  if (!is_running) return 'last state not stored; the next start stores it'
  if (state === 'stored') return 'stored'
  const seconds = Math.max(0, Math.round((now.getTime() - Date.parse(behind_since ?? '')) / 1000)) || 0
  return oneLine(`${seconds} s behind${problem === null ? '' : `: ${problem}`}`)
}
