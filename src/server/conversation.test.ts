import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { IonEvent } from '../events/event.ts'
import type { RecordedAnswer } from './answers.ts'
import type { Part } from './contract.ts'
import { Conversation } from './conversation.ts'
import type { Draft } from './message.ts'

type Said = Readonly<Record<string, unknown>> & { readonly type: IonEvent['type'] }

/** Events one after the other; `parent_id` where it is another than the one before. */
function events(...said: readonly Said[]): IonEvent[] {
  return said.map((one, seq) => ({
    id: `e${seq}`,
    parent_id: seq === 0 ? null : `e${seq - 1}`,
    timestamp: time(seq),
    seq,
    ...one,
  })) as IonEvent[]
}

function time(seq: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, 0, seq)).toISOString()
}

function draftsOf(all: readonly IonEvent[], answers: readonly RecordedAnswer[] = []): Draft[] {
  const conversation = new Conversation()
  for (const event of all) conversation.add(event)
  return conversation.drafts(answers)
}

const user = (content: string): Said => ({ type: 'user', content })
const text = (words: string): Said => ({ type: 'assistant', content: [{ type: 'text', text: words }] })

test('one message for each prompt, and one for all that the agent did until the next', () => {
  const all = events(
    { type: 'session_start' },
    user('fix it'),
    { type: 'thinking', content: 'hm' },
    text('I look'),
    { type: 'tool_use', id: 'c1', name: 'Read', input: { path: 'a' } },
    { type: 'tool_result', tool_use_id: 'c1', content: 'x'.repeat(5000), is_error: false },
    { type: 'system', subtype: 'reminder', content: 'hidden' },
    text('done'),
    user('thanks'),
  )
  expect(draftsOf(all)).toEqual([
    {
      key: 'e1',
      role: 'user',
      content: 'fix it',
      time: time(1),
      parts: [{ type: 'text', text: 'fix it' }],
      done: true,
    },
    {
      key: '>e1',
      role: 'agent',
      content: 'I look\n\n● Read(a)\n\ndone',
      time: time(2),
      parts: [
        { type: 'thinking', text: 'hm' },
        { type: 'text', text: 'I look' },
        { type: 'tool_use', id: 'c1', name: 'Read', input: { path: 'a' }, time: time(4) },
        {
          type: 'tool_result',
          tool_use_id: 'c1',
          content: 'x'.repeat(4096),
          is_error: false,
          truncated: true,
          time: time(5),
        },
        { type: 'text', text: 'done' },
      ],
      done: true,
    },
    {
      key: 'e8',
      role: 'user',
      content: 'thanks',
      time: time(8),
      parts: [{ type: 'text', text: 'thanks' }],
      done: true,
    },
  ])
})

test('a turn is over with an answer, an interruption or an error, and not with a call or its result', () => {
  const lastOf = (...said: readonly Said[]): boolean | undefined => draftsOf(events(user('go'), ...said)).at(-1)?.done
  const call: Said = { type: 'tool_use', id: 'c', name: 'Bash', input: {} }
  expect(lastOf(text('done'))).toBe(true)
  expect(lastOf(text('I will'), call)).toBe(false)
  expect(lastOf(call, { type: 'tool_result', tool_use_id: 'c', content: '', is_error: false })).toBe(false)
  expect(lastOf(call, { type: 'system', subtype: 'interrupted', content: null })).toBe(true)
  expect(lastOf({ type: 'system', subtype: 'api_error', content: 'no credit' })).toBe(true)
  expect(lastOf(call, { type: 'session_end', reason: 'completed' })).toBe(true)
})

test('neither rewound messages nor those of sub-agents are shown', () => {
  const all = events(
    user('a'),
    text('A'),
    user('b'),
    text('B'),
    { ...user('c'), parent_id: 'e1' },
    {
      ...text('of a sub-agent'),
      sub_agent: 'helper',
    },
  )
  expect(draftsOf(all).map(({ key, content }) => [key, content])).toEqual([
    ['e0', 'a'],
    ['>e0', 'A'],
    ['e4', 'c'],
  ])
})

describe('answers to questions of the agent', () => {
  const answer = (seq: number, after: string | null): RecordedAnswer => ({
    at: time(seq),
    after,
    session: 'n1',
    earlier: 0,
    question: 'Run it?',
    details: 'rm -rf build',
    choice: 'Yes',
    by: 'page',
  })
  const note = (seq: number): Part => ({
    type: 'note',
    subtype: 'answered',
    text: 'Yes · asked: Run it? · answered on the page',
    answer: { question: 'Run it?', details: 'rm -rf build', choice: 'Yes', by: 'page', time: time(seq) },
  })
  const call: Said = { type: 'tool_use', id: 'c', name: 'Bash', input: { command: 'rm -rf build' } }
  const result: Said = { type: 'tool_result', tool_use_id: 'c', content: 'gone', is_error: false }
  /** Key, content, whether it is over, and the kinds of the parts. */
  const shown = (all: readonly IonEvent[], ...answers: readonly RecordedAnswer[]): unknown[] =>
    draftsOf(all, answers).map(({ key, content, done, parts }) =>
      [key, content, done, ...parts.map(({ type }) => type)].join(' | '),
    )

  test('are a part of the turn, and neither change its text nor whether it is over', () => {
    const all = events(user('clean'), call, { ...result, timestamp: time(9) }, { ...text('done'), timestamp: time(10) })
    const without = draftsOf(all)
    const [, agent] = draftsOf(all, [answer(5, 'c')])
    expect(agent).toEqual({ ...without[1], parts: without[1]!.parts.toSpliced(1, 0, note(5)) })
    expect(shown(all.slice(0, 2), answer(5, 'c'))).toEqual([
      'e0 | clean | true | text',
      '>e0 | ● Bash(rm -rf build) | false | tool_use | note',
    ])
  })

  test('before the agent has stored anything of its turn are a message of their own, which becomes that of the turn', () => {
    const all = events({ type: 'session_start' }, user('clean'), { ...text('done'), timestamp: time(9) })
    const [, first] = draftsOf(all.slice(0, 2), [answer(5, 'e1')])
    expect(first).toEqual({ key: '>e1', role: 'agent', content: '', time: time(1), parts: [note(5)], done: false })
    expect(shown(all, answer(5, 'e1'))).toEqual(['e1 | clean | true | text', '>e1 | done | true | note | text'])
  })

  test('before the first prompt are at the beginning of its turn; without a prompt they are not shown', () => {
    const all = events(
      { type: 'session_start' },
      { ...user('clean'), timestamp: time(5) },
      { ...text('done'), timestamp: time(6) },
    )
    expect(shown(all, answer(2, null))).toEqual(['e1 | clean | true | text', '>e1 | done | true | note | text'])
    expect(shown(all.slice(0, 2), answer(2, null))).toEqual(['e1 | clean | true | text', '>e1 |  | false | note'])
    expect(shown(all.slice(0, 1), answer(2, null))).toEqual([])
  })

  test('between two turns are at the end of the first; one that was rewound takes its answers with it', () => {
    const all = events(user('a'), text('A'), { ...user('b'), timestamp: time(7) })
    expect(shown(all, answer(5, 'e1'))[1]).toBe('>e0 | A | true | text | note')
    const rewound = events(user('a'), text('A'), user('b'), call, { ...user('c'), parent_id: 'e1', timestamp: time(9) })
    expect(shown(rewound, answer(5, 'c'))).toEqual([
      'e0 | a | true | text',
      '>e0 | A | true | text',
      'e4 | c | true | text',
    ])
    expect(shown(rewound.slice(0, 4), answer(5, 'c')).at(-1)).toBe(
      '>e2 | ● Bash(rm -rf build) | false | tool_use | note',
    )
  })

  test('of an agent that stores no times stay after what the agent had done then', () => {
    const all = events(user('a'), call, result, text('A'), user('b'), text('B')).map((event) => ({
      ...event,
      timestamp: time(0),
      timestamp_guessed: true as const,
    }))
    expect(shown(all, answer(99, 'c'))[1]).toBe(
      '>e0 | ● Bash(rm -rf build)\n\nA | true | tool_use | note | tool_result | text',
    )
    expect(shown(all, answer(99, 'e3'))[1]).toContain('text | note')
  })
})

test('the time of a call is what the agent stored, not an estimate', () => {
  const [, agent] = draftsOf(
    events(
      user('a'),
      { type: 'tool_use', id: 'c', name: 'Read', input: {}, timestamp_guessed: true },
      { type: 'tool_result', tool_use_id: 'c', content: 'text', is_error: false },
    ),
  )
  expect(agent?.parts).toEqual([
    { type: 'tool_use', id: 'c', name: 'Read', input: {} },
    { type: 'tool_result', tool_use_id: 'c', content: 'text', is_error: false, time: time(2) },
  ])
})

test('truncating does not split a character', () => {
  const content = `${'x'.repeat(4095)}😀`
  const [, agent] = draftsOf(events(user('a'), { type: 'tool_result', tool_use_id: 'c', content, is_error: true }))
  expect(agent?.parts).toEqual([
    {
      type: 'tool_result',
      tool_use_id: 'c',
      content: 'x'.repeat(4095),
      is_error: true,
      truncated: true,
      time: time(1),
    },
  ])
})

test('as a session grows, all messages but the last stay as they are, keys are unique, and nothing is lost', () => {
  const kind = fc.constantFrom<Said>(
    user('u'),
    text('t'),
    { type: 'thinking', content: 'm' },
    { type: 'tool_use', name: 'Bash', input: {} },
    { type: 'tool_result', tool_use_id: 'c', content: 'r', is_error: false },
    { type: 'system', subtype: 'note', content: '' },
    { type: 'native', record: {} },
  )
  fc.assert(
    fc.property(fc.array(kind, { maxLength: 60 }), (said) => {
      const all = events(...said)
      const conversation = new Conversation()
      let before: Draft[] = []
      for (const event of all) {
        conversation.add(event)
        const now = conversation.drafts()
        expect(now.slice(0, Math.max(0, before.length - 1))).toEqual(before.slice(0, -1))
        expect(now.length).toBeGreaterThanOrEqual(before.length)
        before = now
      }
      expect(new Set(before.map(({ key }) => key)).size).toBe(before.length)
      expect(before.every((draft, at) => at === 0 || draft.role === 'user' || before[at - 1]!.role === 'user')).toBe(
        true,
      )
      const shown = all.filter(({ type }) => type !== 'system' && type !== 'native')
      expect(before.flatMap(({ parts }) => parts)).toHaveLength(shown.length)
    }),
  )
})
