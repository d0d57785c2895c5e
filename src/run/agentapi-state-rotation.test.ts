import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder } from '../../test/support/scratch.ts'
import type { Agentapi } from './agentapi.ts'
import { restoreChat, saveChat } from './agentapi-state-rotation.ts'

/** A task's folder, and agentapi in it. */
function task(persist = true): Agentapi {
  const folder = scratchFolder()
  return {
    program: '/bin/agentapi',
    stateFile: join(folder, 'agentapi-state.json'),
    pidFile: join(folder, 'agentapi.pid'),
    persist,
    port: undefined,
  }
}

const chat = (...prompts: string[]): string =>
  JSON.stringify({
    version: 1,
    messages: [
      { id: 0, role: 'agent', message: 'Welcome', time: '2026-11-16T10:00:00Z' },
      ...prompts.map((message, n) => ({ id: n + 1, role: 'user', message, time: '2026-11-16T10:00:01Z' })),
    ],
    initial_prompt: '',
    initial_prompt_sent: false,
  })

const previous = ({ stateFile }: Agentapi): string => stateFile.replace('.json', '.previous.json')
const textOf = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, 'utf8') : undefined)
const both = (of: Agentapi): unknown => [textOf(of.stateFile), textOf(previous(of))]

test('a chat that has grown is saved without a notice', () => {
  const agentapi = task()
  expect([restoreChat(agentapi), both(agentapi)]).toEqual([[], [undefined, undefined]])
  for (const text of [chat('one'), chat('one', 'two')]) {
    writeFileSync(agentapi.stateFile, text)
    expect([saveChat(agentapi), both(agentapi)]).toEqual([[], [text, text]])
    expect([restoreChat(agentapi), both(agentapi)]).toEqual([[], [text, text]])
  }
})

test.each([
  ['less than it had', chat(), '1 of 3 messages'],
  ['nothing but a stump', chat('one', 'two').slice(0, 40), 'a damaged chat'],
  ['an empty file', '', 'a damaged chat'],
])('agentapi left %s: the last good chat is restored before the next start', (_name, left, description) => {
  const agentapi = task()
  const good = chat('one', 'two')
  writeFileSync(agentapi.stateFile, good)
  saveChat(agentapi)
  writeFileSync(agentapi.stateFile, left)
  expect([saveChat(agentapi), both(agentapi)]).toEqual([[], [left, good]])
  const [line] = restoreChat(agentapi)
  expect(line).toMatch(`agentapi left ${description}: restored the last good chat; what it left is in `)
  expect(both(agentapi)).toEqual([good, good])
  expect(textOf(line!.split(' is in ')[1]!)).toBe(left)
  expect(restoreChat(agentapi)).toEqual([])
})

test('another chat of the same length is saved, and the previous one is backed up', () => {
  const agentapi = task()
  const [first, second] = [chat('one'), chat('something else')]
  writeFileSync(agentapi.stateFile, first)
  saveChat(agentapi)
  writeFileSync(agentapi.stateFile, second)
  const [line] = saveChat(agentapi)
  expect(line).toMatch('agentapi started another chat; the previous one is in ')
  expect([both(agentapi), textOf(line!.split(' is in ')[1]!)]).toEqual([[second, second], first])
})

test('a deleted chat is not restored; without persistence nothing is touched', () => {
  const agentapi = task()
  writeFileSync(previous(agentapi), chat('one'))
  expect([restoreChat(agentapi), both(agentapi)]).toEqual([[], [undefined, chat('one')]])
  const without = task(false)
  writeFileSync(without.stateFile, chat('one'))
  expect([restoreChat(without), saveChat(without)]).toEqual([[], []])
  expect(readdirSync(join(without.stateFile, '..'))).toEqual(['agentapi-state.json'])
})

test('a failure to write is only reported', () => {
  const agentapi = task()
  writeFileSync(agentapi.stateFile, chat('one'))
  mkdirSync(previous(agentapi))
  expect(saveChat(agentapi)).toEqual([expect.stringMatching(/^the chat of agentapi could not be saved: /)])
})
