import fc from 'fast-check'
import { expect, test } from 'vitest'
import { agents } from '../agents/_registry.ts'
import { roles } from '../agents/passage.ts'
import { parseQuery, parseQueryText } from './parse-query.ts'

const now = new Date('2026-11-16T12:00:00Z')
const world = { now: () => now, cwd: '/home/dev/shop', home: '/home/dev' }
const nothing = { terms: [], excluded: [], agents: [], roles: [] }
const agent = agents[0]!

test('words, phrases and excluded words', () => {
  expect(parseQuery(['login', 'redirect loop', '-draft', '"as typed"  -"not this" x'], world)).toEqual({
    ...nothing,
    terms: ['login', 'redirect loop', 'as typed', 'x'],
    excluded: ['draft', 'not this'],
  })
})

test('filters, with aliases and several values', () => {
  const words = [`agent:${agent.aliases[0]}`, 'role:user,tool', 'since:7d', 'in:src', 'auth']
  expect(parseQuery(words, world)).toEqual({
    terms: ['auth'],
    excluded: [],
    agents: [agent.id],
    roles: ['user', 'tool'],
    since: new Date('2026-11-09T12:00:00Z'),
    folder: '/home/dev/shop/src',
  })
})

test('a complete query in one argument', () => {
  const complete = { ...nothing, terms: ['auth', 'flow'], agents: [agent.id] }
  expect(parseQuery([`agent:${agent.id} auth flow`], world)).toEqual(complete)
  expect(parseQuery([`auth flow agent:${agent.id}`], world)).toEqual(complete)
})

test.each([
  ['in:~/my folder', '/home/dev/my folder'],
  ['in:~', '/home/dev'],
  ['in:/a/../b', '/b'],
  ['in:"my folder"', '/home/dev/shop/my folder'],
])('%s is a folder', (word, folder) => {
  expect(parseQuery([word], world)).toEqual({ ...nothing, folder })
})

test('text that only looks like a filter is a word', () => {
  const words = ['std::vector', 'http://x', 'in:', '-', '--force', '"agent:none"', ' ', '""']
  expect(parseQuery(words, world)).toEqual({
    ...nothing,
    terms: ['std::vector', 'http://x', 'in:', '-', '--force', 'agent:none'],
  })
})

test.each([['role:boss'], ['agent:nobody'], ['since:soon'], ['-agent:x']])('%s is refused with a hint', (word) => {
  expect(() => parseQuery([word], world)).toThrowError(expect.objectContaining({ hint: expect.any(String) }))
})

const word = fc.stringMatching(/^[a-zäß0-9_.]{1,8}$/)
const term = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '))

test('a query written out reads back the same', () => {
  const parts = fc.record({
    terms: fc.array(term),
    excluded: fc.array(term),
    agents: fc.uniqueArray(fc.constantFrom(...agents.map(({ id }) => id))),
    roles: fc.uniqueArray(fc.constantFrom(...roles)),
    folder: word.map((name) => `/x${name}`),
  })
  fc.assert(
    fc.property(parts, (query) => {
      const text = [
        ...query.terms.map((phrase) => `"${phrase}"`),
        ...query.excluded.map((phrase) => `-"${phrase}"`),
        ...query.agents.map((id) => `agent:${id}`),
        ...query.roles.map((role) => `role:${role}`),
        `in:${query.folder}`,
      ]
      expect(parseQueryText(text.join(' '), world)).toEqual(query)
      expect(parseQuery(text, world)).toEqual(query)
    }),
  )
})

test('nothing that is typed breaks it but a refusal', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      try {
        parseQueryText(text, world)
      } catch (error) {
        expect((error as Error).name).toBe('IonError')
      }
    }),
  )
})
