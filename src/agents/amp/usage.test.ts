import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { storeUsage } from '../../../test/support/model-calls.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import agent from './index.ts'

const fixture = fileURLToPath(new URL('./fixtures/0.0.1768018268', import.meta.url))
const threads = '.local/share/amp/threads'

/** The sum of the ledgers, which have each request. */
const LEDGERS = { input: 92, output: 76, cache_read: 0, cache_write: 0, reasoning: 0 }
const REQUESTS = 12

test('a request counts once: with its message, or from the ledger if it has none', () => {
  const { total, calls, uncounted } = storeUsage(agent, scratchIo(fixture))
  expect(total).toEqual(LEDGERS)
  expect(calls.size).toBe(REQUESTS)
  expect(new Set(uncounted.map(({ reason }) => reason))).toEqual(new Set(['repeated']))
})

test('a copy of a thread under another id adds nothing', () => {
  const io = scratchIo(fixture)
  const original = 'T-01a1e097-dff9-7338-bec2-eeff652cb415'
  const copy = 'T-01a1e097-dff9-7338-bec2-eeff652cb4ff'
  const text = readFileSync(join(io.home, threads, `${original}.json`), 'utf8')
  writeFileSync(join(io.home, threads, `${copy}.json`), text.replaceAll(original, copy))
  const { total, sessions } = storeUsage(agent, io)
  expect(total).toEqual(LEDGERS)
  expect(sessions[copy]).toEqual(sessions[original])
})
