import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseEvent } from '../../events/log-line.ts'
import type { IonEvent } from '../../events/schema.ts'
import { redactEvent, redactValue } from './redact-event.ts'
import { Redactor } from './redactor.ts'

const createRedactor = (): Redactor => new Redactor()

const base = { id: 'e1', parent_id: null, timestamp: '2026-03-01T10:00:00.000Z', seq: 1 } as const

test('every text of an event, keys and nested input included; pictures are left alone, bytes of files left out', () => {
  const redactor = createRedactor()
  const call: IonEvent = {
    ...base,
    type: 'tool_use',
    name: 'Write',
    input: {
      file_path: '/home/ann/a.ts',
      files: { '/home/ann/b': 1, '/Users/ann/b': ['ann@example.com', null, true] },
    },
  }
  const answer: IonEvent = {
    ...base,
    type: 'user',
    content: [
      { type: 'text', text: 'see /home/ann/x' },
      { type: 'image', media_type: 'image/png', data: '/home/ann/x' },
      { type: 'file', path: '/home/ann/notes.md', media_type: null },
      { type: 'file', path: 'a.env', media_type: null, data: 'S0VZPXNlY3JldA==' },
    ],
  }
  expect([redactEvent(call, redactor), redactEvent(answer, redactor)]).toEqual([
    {
      ...call,
      input: { file_path: '~/a.ts', files: { '~/b': 1, '~/b (2)': ['[redacted:email-1]', null, true] } },
    },
    {
      ...answer,
      content: [
        { type: 'text', text: 'see ~/x' },
        { type: 'image', media_type: 'image/png', data: '/home/ann/x' },
        { type: 'file', path: '~/notes.md', media_type: null },
        { type: 'file', path: 'a.env', media_type: null },
      ],
    },
  ])
})

test('the header: title, cwd, project and native id', () => {
  const start: IonEvent = {
    ...base,
    type: 'session_start',
    v: 1,
    session_id: '11111111-1111-4111-8111-111111111111',
    agent: 'an-agent',
    native_id: '/home/ann/.history',
    cwd: '/home/ann/shop',
    project: '/home/ann/shop',
    title: 'write to ann@example.com',
    source: { agent_version: '1', format: 'x' },
  }
  expect(redactEvent(start, createRedactor())).toEqual({
    ...start,
    native_id: '~/.history',
    cwd: '~/shop',
    project: '~/shop',
    title: 'write to [redacted:email-1]',
  })
})

test('what lies too deep to be looked at does not get through', () => {
  const deep = JSON.parse(`${'['.repeat(50_000)}"ann@example.com"${']'.repeat(50_000)}`)
  const masked = redactValue({ record: deep }, createRedactor())
  expect(JSON.stringify(masked)).toContain('[redacted: nested too deep]')
  expect(JSON.stringify(masked)).not.toContain('ann@')
})

const text = fc.oneof(fc.string(), fc.constantFrom('/home/ann/x', 'ann@example.com', '__proto__', 'C:\\Users\\ann\\x'))
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(text, tie('value')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
})).value

test('any input: still a valid event of the same shape, and the second time nothing changes', () => {
  const redactor = createRedactor()
  fc.assert(
    fc.property(json, text, (input, content) => {
      for (const event of [
        { ...base, type: 'tool_use', name: content, input },
        { ...base, type: 'user', content },
        { ...base, type: 'native', record: input },
      ] as IonEvent[]) {
        const masked = redactEvent(event, redactor)
        expect(parseEvent(JSON.parse(JSON.stringify(masked)), 1)).toEqual(masked)
        expect(shape(masked)).toEqual(shape(event))
        expect(redactEvent(masked, redactor)).toEqual(masked)
      }
    }),
    { numRuns: 300 },
  )
})

/** A value without its texts: what remains must be the same before and after. */
function shape(value: unknown): unknown {
  if (typeof value === 'string') return ''
  if (Array.isArray(value)) return value.map(shape)
  if (value !== null && typeof value === 'object') return Object.values(value).map(shape)
  return value
}
