import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scratchFolder } from '../../test/support/scratch.ts'
import { loadState, previousOf, type SavedState, saveState } from './chat-state.ts'
import { History } from './history.ts'
import { type Draft, textMessage } from './message.ts'

const now = new Date('2026-11-16T00:00:00Z')
const time = '2026-11-15T12:00:00.000Z'

function state(...texts: string[]): SavedState {
  const messages = texts.map((message, id) => ({ id, message, role: 'user' as const, time }))
  return { version: 1, messages, initial_prompt: '', initial_prompt_sent: true }
}

function draft(key: string, role: 'user' | 'agent', text: string, at = time): Draft {
  return { key, time: at, ...textMessage(role, text) }
}

test('what is saved is loaded; the previous file is kept; only the user may read them', async () => {
  const folder = scratchFolder()
  const file = join(folder, 'deep', 'state.json')
  expect(loadState(file, now)).toEqual({ how: 'none' })
  await saveState(file, state('a'))
  await saveState(file, state('a', 'b'))
  expect(loadState(file, now)).toEqual({ how: 'loaded', state: state('a', 'b') })
  expect(JSON.parse(readFileSync(previousOf(file), 'utf8'))).toEqual(state('a'))
  expect(readdirSync(join(folder, 'deep')).sort()).toEqual(['state.json', 'state.json.previous'])
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('a damaged file is renamed, not overwritten, and the previous one is used', async () => {
  const folder = scratchFolder()
  const file = join(folder, 'state.json')
  await saveState(file, state('a'))
  await saveState(file, state('a', 'b'))
  writeFileSync(file, '{"version":1,"mess')
  const loaded = loadState(file, now)
  expect(loaded).toEqual({ how: 'loaded', state: state('a'), note: expect.stringContaining('was damaged') })
  const renamed = readdirSync(folder).filter((name) => name.includes('.bad-'))
  expect(renamed.map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(['{"version":1,"mess'])
})

test('whatever the file contains, loading does not throw and loses nothing', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const folder = scratchFolder()
      const file = join(folder, 'state.json')
      writeFileSync(file, text)
      const loaded = loadState(file, now)
      const kept = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
      expect(kept).toEqual([text])
      if (loaded.how === 'bad') expect(readdirSync(folder)).toEqual([expect.stringContaining('.bad-')])
    }),
    { numRuns: 60 },
  )
})

test('ids are the same after a restart, and new messages get new ones', () => {
  const first = new History()
  const drafts = [draft('u1', 'user', 'hi'), draft('>u1', 'agent', 'hello')]
  const messages = first.messages('s', drafts)
  expect(messages.map(({ id }) => id)).toEqual([0, 1])
  const saved = JSON.parse(JSON.stringify(first.save('s', messages, 2, 'hi'))) as SavedState
  const again = new History(saved)
  expect(again.messages('s', [...drafts, draft('u2', 'user', 'more')]).map(({ id }) => id)).toEqual([0, 1, 2])
  // The session cannot be read: the stored messages are shown, and saved unchanged.
  const unread = new History(saved)
  const stored = unread.messages('s', undefined)
  expect(stored.map(({ content }) => content)).toEqual(['hi', 'hello'])
  expect(new History(unread.save('s', stored, undefined, '')).messages('s', drafts)).toEqual(messages)
})

test("a file of AgentAPI itself: its history comes first, and the session's messages after it", () => {
  const history = new History(state('old 1', 'old 2'))
  const messages = history.messages('s', [draft('u1', 'user', 'new')])
  expect(messages.map(({ id, content }) => [id, content])).toEqual([
    [0, 'old 1'],
    [1, 'old 2'],
    [2, 'new'],
  ])
  const saved = history.save('s', messages, 1, '')
  expect(new History(saved).messages('s', [draft('u1', 'user', 'new')])).toEqual(messages)
})

test('if AgentAPI served the same session, nothing is shown twice', () => {
  const history = new History(state('older', 'fix  it', 'screen of the answer'))
  const drafts = [draft('u1', 'user', 'fix it', '2026-11-15T12:00:03.000Z'), draft('>u1', 'agent', 'answer')]
  expect(history.messages('s', drafts).map(({ content }) => content)).toEqual(['older', 'fix it', 'answer'])
})

test('a new session of the task: the messages before it stay', () => {
  const history = new History()
  const saved = history.save('one', history.messages('one', [draft('u1', 'user', 'first')]), 1, '')
  const messages = new History(saved).messages('two', [draft('x1', 'user', 'second')])
  expect(messages.map(({ id, content }) => [id, content])).toEqual([
    [0, 'first'],
    [1, 'second'],
  ])
})
