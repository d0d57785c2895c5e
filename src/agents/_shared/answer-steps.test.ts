import { expect, test } from 'vitest'
import type { ToolCall } from '../write.ts'
import { answerSteps } from './answer-steps.ts'

const text = (text: string) => ({ type: 'text', text }) as const
const call = (id: string): ToolCall => ({
  type: 'call',
  id,
  name: 'shell',
  input: {},
  output: '',
  isError: false,
  timestamp: '2026-11-14T09:00:00.000Z',
})

test('each text is a step, with the calls that follow it', () => {
  const [a, b, c] = [call('a'), call('b'), call('c')]
  expect(answerSteps([a, text('one'), text('two'), b, c, text('three')])).toEqual([
    { text: '', calls: [a] },
    { text: 'one', calls: [] },
    { text: 'two', calls: [b, c] },
    { text: 'three', calls: [] },
  ])
})
