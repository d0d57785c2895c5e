import { expect, test } from 'vitest'
import { testStart } from '../../../test/suites/test-start.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { readContext } from '../../native/read-context.ts'
import agent from './index.ts'

testStart(agent, new URL('./', import.meta.url), { session: '20261115_1', args: ['--model', 'gpt-4.1'] })

const start = agent.start!

test('a session is recognised by its unique name, not by folder and time', () => {
  const head = (name: string): Parameters<NonNullable<typeof agent.start>['matchesRequest'] & object>[0] =>
    ({ name }) as never
  expect(start.matchesRequest!(head('ion-22222222'), '22222222')).toBe(true)
  expect(start.matchesRequest!(head('fix the tests'), '22222222')).toBe(false)
})

test('a prompt that begins with one of its commands is refused, in both modes', () => {
  const io = scratchIo()
  const refusal = (text: string, headless: boolean): unknown => {
    const prompt = { text, argument: text, file: '/prompt.txt' }
    const request = { session: 'x', prompt, headless, args: [], cwd: io.cwd, folder: '/x', version: undefined, io }
    return start.preflight!('cold', request, readContext(io))
  }
  const expected = {
    why: expect.stringContaining('begins with "/clear"'),
    hint: 'put another word in front',
    isCommand: true,
  }
  expect([refusal('/clear it', true), refusal('/clear it', false)]).toEqual([expected, expected])
  expect([refusal('/etc/hosts', true), refusal('!ls', false)]).toEqual([undefined, undefined])
})
