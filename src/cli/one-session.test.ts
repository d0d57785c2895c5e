import { expect, test } from 'vitest'
import { IonError } from '../platform/error.ts'
import { oneSession } from './one-session.ts'

const sessions = [
  { id: '11112222-0000-4000-8000-000000000001', native_id: 'first' },
  { id: '11113333-0000-4000-8000-000000000002', native_id: '1111' },
]
const missing = (): IonError => new IonError('not-found', 'none')
const find = (reference: string): string => oneSession(reference, sessions, missing).native_id

test('by id, by native id before a prefix, and by the beginning of the id', () => {
  expect([sessions[1]!.id, '1111', '11112', 'first'].map(find)).toEqual(['1111', '1111', 'first', 'first'])
})

test('nothing, or too little of an id, is missing; what may be several is told', () => {
  expect(() => find('ffff')).toThrow('none')
  expect(() => find('111')).toThrow('none')
  const twice = [sessions[0]!, { ...sessions[1]!, native_id: 'second' }]
  expect(() => oneSession('1111', twice, missing)).toThrow('"1111" matches 2 sessions')
})
