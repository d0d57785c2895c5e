import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { testWriter } from '../../../test/suites/test-writer.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import type { Io } from '../../platform/io.ts'
import type { Message } from '../write.ts'
import agent from './index.ts'

testWriter(agent, { home: () => scratchIo() })

const [GLOBAL, PROJECT] = ['.pi/agent/settings.json', 'shop/.pi/settings.json']

test("the last entry sets the user's model, and the project's comes first", () => {
  const io = scratchIo()
  expect(lastEntry(io)).toMatchObject({ type: 'message' })
  put(io, GLOBAL, { defaultProvider: 'anthropic', defaultModel: 'claude-opus-4-8' })
  expect(lastEntry(io)).toMatchObject({ type: 'model_change', provider: 'anthropic', modelId: 'claude-opus-4-8' })
  put(io, PROJECT, { defaultModel: 'claude-haiku-4-5' })
  expect(lastEntry(io)).toMatchObject({ type: 'model_change', provider: 'anthropic', modelId: 'claude-haiku-4-5' })
})

test.each([GLOBAL, PROJECT])('sessions that %s moves to another folder are not written', (file) => {
  const io = scratchIo()
  put(io, file, { sessionDir: '/elsewhere' })
  const refused = agent.writer!.prepare(target(io))
  expect(refused).toEqual({
    why: `Pi looks for sessions in the folder that sessionDir in ${join(io.home, file)} names, which Ion does not follow`,
    hint: 'set PI_CODING_AGENT_SESSION_DIR to that folder instead',
  })
  const env = { ...io.env, PI_CODING_AGENT_SESSION_DIR: join(io.home, 'sessions') }
  expect(agent.writer!.prepare(target({ ...io, env }))).toBeTypeOf('function')
})

test('only a summary at the beginning is a compaction: nothing before one is sent', () => {
  const summary = (id: string): Message => ({ ...prompt(id), isSummary: true })
  const types = entries(scratchIo(), [summary('a'), prompt('b'), summary('c')]).map(({ type }) => type)
  expect(types).toEqual(['session', 'session_info', 'compaction', 'message', 'message'])
})

function put(io: Io, file: string, settings: object): void {
  const path = join(io.home, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, JSON.stringify(settings))
}

function target(io: Io) {
  return { cwd: join(io.home, 'shop'), version: undefined, io }
}

const at = '2026-11-15T10:00:00.000Z'

function prompt(id: string): Message & { role: 'user' } {
  return { role: 'user', id, timestamp: at, content: [{ type: 'text', text: 'Why?' }] }
}

function lastEntry(io: Io): unknown {
  return entries(io, [prompt('a')]).at(-1)
}

function entries(io: Io, messages: readonly Message[]): { readonly type: string }[] {
  const write = agent.writer!.prepare(target(io))
  if (typeof write !== 'function') throw new Error(write.why)
  const id = '0f9a3c52-7d4e-4b7a-9a53-6d1c2b8e4f10'
  const [file] = write({ id, cwd: join(io.home, 'shop'), title: 'Why', at, messages }).parts
  if (file?.kind !== 'file') throw new Error('no file')
  return file.content
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}
