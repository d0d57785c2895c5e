import { expect, test } from 'vitest'
import { testStart } from '../../../test/suites/test-start.ts'
import agent from './index.ts'

testStart(agent, new URL('./', import.meta.url), { session: '20261115_1', args: ['--model', 'gpt-4.1'] })

test('a session is recognised by its unique name, not by folder and time', () => {
  const head = (name: string): Parameters<NonNullable<typeof agent.start>['matchesRequest'] & object>[0] =>
    ({ name }) as never
  expect(agent.start!.matchesRequest!(head('ion-22222222'), '22222222')).toBe(true)
  expect(agent.start!.matchesRequest!(head('fix the tests'), '22222222')).toBe(false)
})
