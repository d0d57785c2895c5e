import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { storeUsage } from '../../../test/support/model-calls.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import agent from './index.ts'

test('a copy of a session under another id adds nothing: requests keep their ids', () => {
  const io = scratchIo(fileURLToPath(new URL('./fixtures/handmade-nodes', import.meta.url)))
  const before = storeUsage(agent, io)
  expect(before.total).toEqual({ input: 30, output: 9, cache_read: 4, cache_write: 2, reasoning: 0 })
  const [original, copy] = ['a0000000-0000-4000-8000-0000000000aa', 'a0000000-0000-4000-8000-0000000000cc']
  const folder = join(io.home, '.augment', 'sessions')
  const text = readFileSync(join(folder, `${original}.json`), 'utf8')
  writeFileSync(join(folder, `${copy}.json`), text.replaceAll(original, copy))
  const { total, sessions } = storeUsage(agent, io)
  expect(total).toEqual(before.total)
  expect(sessions[copy]).toEqual(sessions[original])
})
