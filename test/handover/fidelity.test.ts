import { expect, test } from 'vitest'
import { fidelityOf, outcomes, reasonsOf } from './fidelity.ts'
import type { SeenEvent } from './hard-sessions.ts'
import type { Piece } from './received.ts'

const seen: SeenEvent[] = [
  { kind: 'user', text: 'Why? ', image: 'aW1hZ2U=' },
  { kind: 'assistant', text: 'I look.' },
  { kind: 'call', id: 'a.1', name: 'Read', input: { path: 'x', deep: [1] } },
  { kind: 'call', id: 'b2', name: 'Read', input: { path: 'y' } },
  { kind: 'result', id: 'a.1', text: 'content of x' },
  { kind: 'result', id: 'b2', text: '' },
  { kind: 'assistant', text: 'Because of x.' },
]

const complete: Piece[] = [
  { kind: 'text', role: 'user', text: '<context>\nWhy?\n</context>' },
  { kind: 'image', data: 'aW1hZ2U=' },
  { kind: 'text', role: 'assistant', text: 'I look.' },
  { kind: 'call', id: 'a_1', name: 'Read', input: { deep: [1], path: 'x' } },
  { kind: 'call', id: 'b2', name: 'Read', input: { path: 'y' } },
  { kind: 'result', id: 'a_1', text: 'exit 0\ncontent of x' },
  { kind: 'result', id: 'b2', text: '' },
  { kind: 'text', role: 'assistant', text: 'Because of x.' },
  { kind: 'text', role: 'user', text: 'PROBE' },
]
const IDS = { 'a.1': 'a_1' }

function measured(pieces: readonly Piece[], ids: Record<string, string> = IDS) {
  const all = outcomes(seen, pieces, ids)
  const shares = Object.entries(fidelityOf(all)).map(([aspect, { held, of }]) => `${aspect} ${held}/${of}`)
  return { shares: shares.join(' '), reasons: reasonsOf(all) }
}

test('everything arrived', () => {
  expect(measured(complete)).toEqual({ shares: 'text 3/3 calls 2/2 results 2/2 order 7/7 ids 4/4', reasons: [] })
})

test('nothing arrived', () => {
  expect(measured([])).toEqual({
    shares: 'text 0/3 calls 0/2 results 0/2 order 0/0 ids 0/0',
    reasons: ['1 × prompt not sent', '2 × answer not sent', '2 × call not sent', '2 × result not sent'],
  })
})

test.each<[string, (pieces: Piece[]) => Piece[], string, string[]]>([
  [
    'a text of another speaker',
    (pieces) => pieces.with(2, { kind: 'text', role: 'user', text: 'I look.' }),
    'text 2/3 calls 2/2 results 2/2 order 7/7 ids 4/4',
    ['1 × answer changed: sent as user'],
  ],
  [
    'a missing image',
    (pieces) => pieces.toSpliced(1, 1),
    'text 2/3 calls 2/2 results 2/2 order 7/7 ids 4/4',
    ['1 × prompt changed: its image is not sent'],
  ],
  [
    'another input',
    (pieces) => pieces.with(4, { kind: 'call', id: 'b2', name: 'Read', input: { path: 'z' } }),
    'text 3/3 calls 1/2 results 2/2 order 7/7 ids 4/4',
    ['1 × call changed: its input differs'],
  ],
  [
    'a shortened result',
    (pieces) => pieces.with(5, { kind: 'result', id: 'a_1', text: 'cont' }),
    'text 3/3 calls 2/2 results 1/2 order 7/7 ids 4/4',
    ['1 × result changed: shortened to 4 characters of 12 characters'],
  ],
  [
    'a note instead of an empty result',
    (pieces) => pieces.with(6, { kind: 'result', id: 'b2', text: '(no output)' }),
    'text 3/3 calls 2/2 results 1/2 order 7/7 ids 4/4',
    ['1 × result changed: empty, sent as a note'],
  ],
  [
    'results of each other',
    (pieces) =>
      pieces
        .with(5, { kind: 'result', id: 'b2', text: 'content of x' })
        .with(6, { kind: 'result', id: 'a_1', text: '' }),
    'text 3/3 calls 2/2 results 0/2 order 7/7 ids 4/4',
    ['1 × result changed: shortened to 0 characters of 12 characters', '1 × result changed: empty, sent as a note'],
  ],
  [
    'calls that were made at once, one after the other',
    (pieces) => [...pieces.slice(0, 4), pieces[5]!, pieces[4]!, ...pieces.slice(6)],
    'text 3/3 calls 2/2 results 2/2 order 7/7 ids 4/4',
    [],
  ],
  [
    'a result after the next answer',
    (pieces) => [...pieces.slice(0, 6), pieces[7]!, pieces[6]!, pieces[8]!],
    'text 3/3 calls 2/2 results 2/2 order 6/7 ids 4/4',
    [],
  ],
  [
    'the last answer first',
    (pieces) => [pieces[7]!, ...pieces.toSpliced(7, 1)],
    'text 3/3 calls 2/2 results 2/2 order 4/7 ids 4/4',
    [],
  ],
  [
    'a call as text',
    (pieces) => pieces.with(4, { kind: 'text', role: 'assistant', text: '[tool Read] {"path":"y"}' }),
    'text 3/3 calls 1/2 results 2/2 order 7/7 ids 3/3',
    ['1 × call changed: sent as text'],
  ],
])('%s', (_, change, shares, reasons) => {
  expect(measured(change([...complete]))).toEqual({ shares, reasons })
})

test('an id that the report does not name counts as another one', () => {
  expect(measured(complete, {})).toEqual({
    shares: 'text 3/3 calls 2/2 results 2/2 order 7/7 ids 2/4',
    reasons: ['1 × id of a call: another one', '1 × id of a result: another one'],
  })
})
