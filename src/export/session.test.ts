import { expect, test } from 'vitest'
import type { IonEvent } from '../events/event.ts'
import type { Problem, SessionItem } from '../events/item.ts'
import { Redactor } from './redact/redactor.ts'
import { exportSession, shareOptions } from './session.ts'

const base = { parent_id: null, timestamp: '2026-03-01T10:00:00.000Z' } as const

/** A session with a left branch: the second prompt was replaced by the third. */
const events: IonEvent[] = [
  { ...base, type: 'user', id: 'e0', seq: 0, content: 'write to ann@example.com' },
  { ...base, type: 'user', id: 'e1', parent_id: 'e0', seq: 1, content: 'left behind' },
  { ...base, type: 'thinking', id: 'e2', parent_id: 'e0', seq: 2, content: 'hm' },
  { ...base, type: 'user', id: 'e3', parent_id: 'e2', seq: 3, content: 'the last' },
]
const problem: Problem = { code: 'not_json', problem: 'bad line', path: '/x', line: 4 }

function source(items: readonly SessionItem[] = [...events.map((event) => ({ event })), problem]) {
  const problems: unknown[] = []
  let reads = 0
  const read = (): readonly SessionItem[] => {
    reads++
    return items
  }
  return { read, onProblem: (one: unknown) => problems.push(one), problems, reads: () => reads }
}

test('data has every event and is read once; a document has the main branch and is read twice', () => {
  const data = source()
  const lines = [...exportSession(data, { format: 'jsonl' })].join('').trimEnd().split('\n')
  expect([lines.map((line) => JSON.parse(line) as unknown), data.reads(), data.problems]).toEqual([
    events,
    1,
    [problem],
  ])
  const document = source()
  const text = [...exportSession(document, { format: 'md' })].join('')
  expect([text.includes('the last'), text.includes('left behind'), document.reads()]).toEqual([true, false, 2])
  expect(document.problems).toEqual([problem])
})

test('branch and thinking are shown when asked for', () => {
  const text = [...exportSession(source(), { format: 'md', branch: 'all', thinking: true })].join('')
  expect([text.includes('left behind'), text.includes('hm')]).toEqual([true, true])
  const main = [...exportSession(source(), { format: 'jsonl', branch: 'main' })].join('')
  expect(main.trimEnd().split('\n')).toHaveLength(3)
})

test('there is a piece for every event of both passes, so that a caller can pause', () => {
  let largestGap = 0
  let gap = 0
  const counting = function* (): Generator<SessionItem> {
    for (const event of events) {
      largestGap = Math.max(largestGap, ++gap)
      yield { event }
    }
  }
  for (const _ of exportSession({ read: counting }, { format: 'html' })) gap = 0
  expect(largestGap).toBe(1)
})

test('a shared session is a masked document', async () => {
  const redactor = new Redactor()
  const { redact, ...options } = shareOptions({})
  const text = [...exportSession(source(), options, redactor)].join('')
  expect([redact, options.format, text.includes('ann@example.com')]).toEqual([true, 'md', false])
  expect(text).toContain('[redacted:email-1]')
  expect(text).toContain('redacted: true')
})
