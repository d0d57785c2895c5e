import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchIo } from '../../../test/support/scratch.ts'
import { readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'
import { quotas } from './quotas.ts'

const at = (minute: number): string => `2026-03-04T09:${String(minute).padStart(2, '0')}:00.000Z`

/** A session whose file was last changed at that minute. */
function write(io: Io, n: number, minute: number, limits: readonly unknown[], padding = ''): void {
  const folder = join(io.home, '.codex', 'sessions', '2026', '03', '04')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `rollout-2026-03-04T09-00-00-5d0e0000-0000-4000-8000-${String(n).padStart(12, '0')}.jsonl`)
  const lines = limits.map((rate_limits) => {
    const payload = { type: 'token_count', info: null, rate_limits }
    return JSON.stringify({ timestamp: at(minute), type: 'event_msg', payload })
  })
  writeFileSync(
    path,
    `${JSON.stringify({ timestamp: at(0), type: 'session_meta', payload: { padding } })}\n${lines.join('\n')}\n`,
  )
  utimesSync(path, new Date(at(minute)), new Date(at(minute)))
}

const RESET = Date.parse('2026-03-04T12:00:00.000Z') / 1000
const window = (window_minutes: number | null, used_percent: number): object => ({
  used_percent,
  window_minutes,
  resets_at: RESET,
})

test('the newest limits, named by the length of their window', () => {
  const io = scratchIo()
  write(io, 1, 10, [{ primary: window(300, 90), secondary: window(10_080, 40) }])
  // The last line of the newest file has no limits, and one of its windows is new.
  write(io, 2, 20, [{ primary: window(300, 12.5), secondary: window(90, 3) }, null, { primary: null, secondary: null }])
  const resets_at = '2026-03-04T12:00:00.000Z'
  expect([...quotas(readContext(io))]).toEqual([
    { agent: 'codex', label: '5 hours', used_percent: 12.5, resets_at, seen_at: at(20) },
    { agent: 'codex', label: '90 minutes', used_percent: 3, resets_at, seen_at: at(20) },
    { agent: 'codex', label: '7 days', used_percent: 40, resets_at, seen_at: at(10) },
  ])
})

test('older versions store the seconds until the reset; a window of unknown length is left out', () => {
  const io = scratchIo()
  const primary = { used_percent: 5, window_minutes: 300, resets_in_seconds: 3600 }
  write(io, 1, 10, [{ primary, secondary: window(null, 40) }])
  expect([...quotas(readContext(io))]).toEqual([
    { agent: 'codex', label: '5 hours', used_percent: 5, resets_at: '2026-03-04T10:10:00.000Z', seen_at: at(10) },
  ])
})

test('only the ends of the newest files are read', () => {
  const io = scratchIo()
  const padding = 'x'.repeat(300_000)
  for (let n = 1; n <= 9; n++) write(io, n, n, [{ primary: window(300, n) }], padding)
  const reading = readContext(io)
  expect([...quotas(reading)].map(({ used_percent }) => used_percent)).toEqual([9])
  expect(reading.bytes).toBeLessThanOrEqual(5 * 64 * 1024)
})

test('nothing where Codex was never run', () => {
  expect([...quotas(readContext(scratchIo()))]).toEqual([])
})
