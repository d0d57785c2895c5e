import { expect, test } from 'vitest'
import type { IonEvent } from '../../../events/schema.ts'
import { selectBranch } from './branches.ts'

/** `id<parent`, in the order of the log; the first letter is the type. */
function log(text: string): IonEvent[] {
  return text.split(' ').map((word, seq) => {
    const [id, parent] = word.split('<') as [string, string | undefined]
    const type = { s: 'session_start', u: 'user', a: 'assistant', t: 'tool_use', r: 'tool_result' }[id[0]!]
    return { type, id, parent_id: parent ?? null, seq, content: '' } as unknown as IonEvent
  })
}

const shown = (events: IonEvent[], wanted?: string) => {
  const { includes, others } = selectBranch(() => events, wanted)
  return { ids: events.flatMap(({ id }, place) => (includes(place) ? [id] : [])).join(' '), others }
}

const straight = log('s u1<s a1<u1 t1<a1 r1<t1 a2<r1')
/** The prompt after a1 was rewritten twice. */
const rewound = log('s u1<s a1<u1 u2<a1 a2<u2 t2<a2 r2<t2 u3<a1 a3<u3 u4<a1 a4<u4')

test('a log with one branch is shown completely', () => {
  const whole = { ids: 's u1 a1 t1 r1 a2', others: 0 }
  expect([shown(straight), shown(straight, 'all'), shown(straight, '1')]).toEqual([whole, whole, whole])
})

test('the main branch, all, or an abandoned one with its history', () => {
  expect(shown(rewound)).toEqual({ ids: 's u1 a1 u4 a4', others: 2 })
  expect(shown(rewound, '2')).toEqual({ ids: 's u1 a1 u2 a2 t2 r2', others: 2 })
  expect(shown(rewound, '3')).toEqual({ ids: 's u1 a1 u3 a3', others: 2 })
  expect(shown(rewound, 'all').ids.split(' ')).toHaveLength(11)
})

test.each(['4', '0', 'x', '-1'])('branch %s is refused', (wanted) => {
  expect(() => shown(rewound, wanted)).toThrowError(
    expect.objectContaining({ hint: 'use a number from 1 to 3, or all' }),
  )
  expect(() => shown(straight, wanted)).toThrowError(
    expect.objectContaining({ hint: 'it has only one branch; omit --branch' }),
  )
})
