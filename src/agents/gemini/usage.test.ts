import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { storeUsage } from '../../../test/support/model-calls.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import type { Io } from '../../platform/io.ts'
import agent from './index.ts'

type Json = Record<string, unknown>

const FIRST = 'cccccccc-0000-4000-8000-00000000000a'
const SECOND = 'cccccccc-0000-4000-8000-00000000000b'
const id = (n: number): string => `dddddddd-0000-4000-8000-${String(n).padStart(12, '0')}`
const at = (n: number): string => `2026-11-15T18:44:${String(n).padStart(2, '0')}.000Z`

const TOKENS = { input: 100, output: 7, cached: 11, thoughts: 3, tool: 0, total: 110 }
const prompt = (n: number): Json => ({ id: id(n), timestamp: at(n), type: 'user', content: [{ text: `Go ${n}` }] })
const answer = (n: number): Json => ({
  id: id(n),
  timestamp: at(n),
  type: 'gemini',
  content: `Done ${n}`,
  tokens: TOKENS,
  model: 'gemini-2.5-flash',
})

function write(io: Io, session: string, records: readonly Json[]): string {
  const folder = join(io.home, '.gemini', 'tmp', 'shop', 'chats')
  mkdirSync(folder, { recursive: true })
  const first = { sessionId: session, projectHash: 'shop', startTime: at(0), lastUpdated: at(9), kind: 'main' }
  const path = join(folder, `session-2026-11-15T18-44-${session.slice(0, 8)}${session.slice(-1)}.jsonl`)
  writeFileSync(path, [first, ...records].map((record) => `${JSON.stringify(record)}\n`).join(''))
  return path
}

/** The total of so many calls. */
const calls = (n: number): object => ({
  input: 89 * n,
  output: 10 * n,
  cache_read: 11 * n,
  cache_write: 0,
  reasoning: 3 * n,
})

test('a resume that writes the whole history again adds nothing', () => {
  const io = scratchIo()
  const history = [prompt(1), answer(2), prompt(3), answer(4)]
  write(io, FIRST, [...history, { $set: { messages: history, lastUpdated: at(5) } }, prompt(6), answer(7)])
  const { total, uncounted } = storeUsage(agent, io)
  expect(total).toEqual(calls(3))
  expect(uncounted.map(({ reason }) => reason)).toEqual(['repeated', 'repeated'])
})

test('a session that was imported under another id has the calls of the original', () => {
  const io = scratchIo()
  const history = [prompt(1), answer(2)]
  write(io, FIRST, history)
  write(io, SECOND, [...history, prompt(3), answer(4)])
  const { total, sessions } = storeUsage(agent, io)
  expect(total).toEqual(calls(2))
  expect(sessions).toEqual({ [FIRST]: [`gemini/${id(2)}`], [SECOND]: [`gemini/${id(2)}`, `gemini/${id(4)}`] })
})
