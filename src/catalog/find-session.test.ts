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

test('a title in any case, or its unique beginning as a list shows it', () => {
  const titled = ['Fix the Login', 'fix the login', 'Ärger mit der\n  Anmeldung', 'Ärgernis'].map((title, place) => ({
    agent: 'a',
    title,
    id: `2222000${place}-0000-4000-8000-000000000001`,
    native_id: `${place}`,
  }))
  const findTitle = (reference: string): string | null => findAmong(titled, reference, missing).title
  expect(findTitle('fix the login')).toBe('fix the login')
  expect(findTitle('Fix the Login')).toBe('Fix the Login')
  expect(findTitle('äRGER MIT DER ANM…')).toBe(titled[2]!.title)
  // The minimum is that of ids: two characters may be a word.
  expect(findAmong([{ ...titled[0]!, title: '日本語のセッション' }], '日本', missing).title).toBe('日本語のセッション')
  expect(findTitle('ärgernis')).toBe('Ärgernis')
  expect(() => findTitle('FIX THE LOGIN')).toThrow('"FIX THE LOGIN" matches 2 sessions')
  expect(() => findTitle('ärger')).toThrow('"ärger" matches 2 sessions')
  expect(() => findTitle('är')).toThrow('"är" matches 2 sessions')
})

test('with an agent, only its sessions count, whatever matches of another', () => {
  const both = [
    { agent: 'claude', title: 'codex', id: '33330000-0000-4000-8000-000000000001', native_id: 'one' },
    { agent: 'codex', title: 'Onerous', id: '44440000-0000-4000-8000-000000000001', native_id: 'two' },
  ]
  expect(findAmong(both, 'codex:oner', missing).native_id).toBe('two')
  expect(() => findAmong(both, 'codex:3333', missing)).toThrow('none')
})
