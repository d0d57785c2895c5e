import { describe, expect, test } from 'vitest'
import { readAll } from '../../../test/support/read-all.ts'
import type { IonEvent } from '../../events/schema.ts'
import { contentText } from '../../events/text.ts'
import agent from './index.ts'
import { made, openSession, readSession } from './test/fixture-session.ts'

describe('forks by reference', () => {
  const [first, second, third, orphan, circle] = made(21, 22, 23, 24, 25) as [string, string, string, string, string]
  const user = (id: string, content: string): object => ({ type: 'user', id, content })

  const spoken = (events: readonly IonEvent[]): unknown[] =>
    events.flatMap((event) => {
      if (event.type === 'user') return [user(event.id, contentText(event.content))]
      return event.type === 'assistant'
        ? [{ type: 'assistant', id: event.id, content: contentText(event.content) }]
        : []
    })

  test('the compressed parent comes first with its own ids, those of its calls too', () => {
    const { io, head } = openSession('handmade-fork', second)
    const { events, problems } = readAll(agent, head, io)
    expect(problems).toEqual([])
    expect(spoken(events)).toEqual([
      user('msg_p1', 'First'),
      { type: 'assistant', id: 'msg_p2', content: 'One' },
      user('msg_f1', 'Second'),
      { type: 'assistant', id: 'msg_f2', content: 'Two' },
    ])
    const usage = { output: 1, cache_read: 0, cache_write: 0, reasoning: 0 }
    expect(events.flatMap(({ token_usage, call }) => (token_usage ? [{ token_usage, call }] : []))).toEqual([
      { token_usage: { input: 10, ...usage }, call: { id: `${first}/1` } },
      { token_usage: { input: 20, ...usage }, call: { id: `${second}/1` } },
    ])
  })

  test("a fork of a fork may begin within the grandparent's records", () => {
    expect(spoken(readSession('handmade-fork', third).events)).toEqual([
      user('msg_p1', 'First'),
      user('msg_g1', 'Another first'),
      { type: 'assistant', id: 'msg_g2', content: 'Other' },
    ])
  })

  test("a missing parent and a cycle are problems, and the fork's own records are read", () => {
    expect(
      [orphan, circle]
        .map((id) => readSession('handmade-fork', id))
        .map(({ events, problems }) => [spoken(events), problems]),
    ).toEqual([
      [
        [user('msg_m1', 'Whose parent is gone')],
        [`the session ${made(99)[0]}, which this one continues, does not exist: its part is missing`],
      ],
      [[user('msg_c1', 'Round')], ['its history leads back to itself']],
    ])
    expect(openSession('handmade-fork', orphan).head).toMatchObject({ resumable: false, forked_from: made(99)[0] })
  })

  test("forks by 0.166.0: the parent's events are the same in parent and fork", () => {
    const parent = readSession('0.166.0', '01a1e085-aeae').events
    const fork = readSession('0.166.0', '01a1e08b-08ef')
    const place = (event: IonEvent): unknown => ({ ...event, seq: 0, parent_id: null })
    expect(fork.events.slice(1, parent.length).map(place)).toEqual(parent.slice(1).map(place))
    expect(spoken(fork.events).slice(-6)).toEqual([
      user('msg_01a1e087-4e89-7f80-8f70-58ca2d1d5805', 'Forked: continue differently'),
      {
        type: 'assistant',
        id: 'msg_1a1e0874e9a000021',
        content: 'STUB-REPLY 31: answer to "Forked: continue differently"',
      },
      user('msg_01a1e08b-0536-7c92-836b-1ef1221e834b', 'Second turn in the fork'),
      { type: 'assistant', id: 'msg_1a1e08b056900005b', content: 'STUB-REPLY 89: answer to "Second turn in the fork"' },
      user('msg_01a1e08b-0975-73e1-9a03-ba78f7a845cf', 'Fork of the fork'),
      { type: 'assistant', id: 'msg_1a1e08b099100005e', content: 'STUB-REPLY 92: answer to "Fork of the fork"' },
    ])
    expect(fork.problems).toEqual([])
  })
})
