import { expect, test } from 'vitest'
import { IonError } from '../platform/error.ts'
import { findAmong } from './find-session.ts'

const sessions = [
  { agent: 'a', title: 'Fix the login', id: '11112222-0000-4000-8000-000000000001', native_id: 'first' },
  { agent: 'b', title: null, id: '11113333-0000-4000-8000-000000000002', native_id: '1111' },
]
const missing = (): IonError => new IonError('not-found', 'none')
const find = (reference: string): string => findAmong(sessions, reference, missing).native_id

test('finds by id, native id, prefix of the id and title, in that order', () => {
  const references = [sessions[1]!.id, '1111', '11112', 'first', 'firs', 'Fix the login']
  expect(references.map(find)).toEqual(['1111', '1111', 'first', 'first', 'first', 'first'])
})

test('an unknown reference, or too short a prefix, is missing; an ambiguous one lists the candidates', () => {
  expect(() => find('ffff')).toThrow('none')
  expect(() => find('111')).toThrow('none')
  const twice = [sessions[0]!, { ...sessions[1]!, native_id: 'second' }]
  expect(() => findAmong(twice, '1111', missing)).toThrow('"1111" matches 2 sessions')
})
