import fc from 'fast-check'
import { expect, test } from 'vitest'
import { agents } from '../../agents/_registry.ts'
import { roles } from '../../agents/passage.ts'
import { isEmptyQuery, parseQuery, parseQueryText } from './parse-query.ts'
import { states } from './query.ts'

const now = new Date('2026-11-16T12:00:00Z')
const world = { now: () => now, cwd: '/home/dev/shop', home: '/home/dev' }
const nothing = {
  ...{ wanted: [], excluded: [], agents: [], roles: [], tools: [], files: [], titles: [], projects: [], models: [] },
  ...{ tags: [], states: [] },
}
const agent = agents[0]!
const text = (...texts: string[]): { text: string }[] => texts.map((one) => ({ text: one }))

test('words, phrases and excluded words', () => {
  expect(parseQuery(['login', 'redirect loop', '-draft', '"as typed"  -"not this" x'], world)).toEqual({
    ...nothing,
    wanted: [text('login'), text('redirect loop'), text('as typed'), text('x')],
    excluded: text('draft', 'not this'),
  })
})

test('alternatives and regular expressions', () => {
  expect(parseQueryText('login OR "sign in" OR /log-?on/ page "OR" -/draft\\d/', world)).toEqual({
    ...nothing,
    wanted: [[...text('login', 'sign in'), { regex: 'log-?on' }], text('page'), text('OR')],
    excluded: [{ regex: 'draft\\d' }],
  })
})

test('other ways to say the same', () => {
  expect(parseQueryText('a AND b NOT c', world)).toEqual(parseQueryText('a b -c', world))
  expect(parseQueryText('/a+/i', world)).toEqual(parseQueryText('/a+/', world))
  expect(parseQuery(['auth flow', 'since:7d'], world)).toEqual(parseQueryText('auth flow since:7d', world))
})

test('filters, with aliases and several values', () => {
  const words = [
    ...[
      `agent:${agent.aliases[0]}`,
      'role:user,tool',
      'since:7d',
      'before:2026-11-15',
      'in:src',
      'auth',
      'tool:Bash,Edit',
    ],
    ...['file:src/cart.ts', 'title:refunds', 'title:"pay twice"', 'project:shop', 'model:opus', 'is:live,archived'],
    ...['tag:#Release,v2', 'tag:v2', 'is:pinned'],
  ]
  expect(parseQuery(words, world)).toEqual({
    wanted: [text('auth')],
    excluded: [],
    agents: [agent.id],
    roles: ['user', 'tool'],
    tools: ['Bash', 'Edit'],
    files: ['src/cart.ts'],
    titles: ['refunds', 'pay twice'],
    projects: ['shop'],
    models: ['opus'],
    states: ['live', 'archived', 'pinned'],
    tags: ['release', 'v2'],
    since: new Date('2026-11-09T12:00:00Z'),
    before: new Date(2026, 10, 15),
    folder: '/home/dev/shop/src',
  })
  expect(parseQuery(['after:7d', 'x'], world)).toEqual(parseQuery(['since:7d', 'x'], world))
})

test('a complete query in one argument', () => {
  const complete = { ...nothing, wanted: [text('auth'), text('flow')], agents: [agent.id] }
  expect(parseQuery([`agent:${agent.id} auth flow`], world)).toEqual(complete)
  expect(parseQuery([`auth flow agent:${agent.id}`], world)).toEqual(complete)
  expect(parseQuery(['auth flow'], world)).toEqual(parseQuery(['auth', 'flow'], world))
})

test.each([
  ['in:~/my folder', 'x', '/home/dev/my folder'],
  ['in:~', 'x', '/home/dev'],
  ['in:/a/../b', 'x', '/b'],
  ['in:"my folder"', 'x', '/home/dev/shop/my folder'],
])('%s is a folder', (filter, word, folder) => {
  expect(parseQuery([filter, word], world)).toEqual({ ...nothing, wanted: [text('x')], folder })
})

test('text that only looks like a filter is a word', () => {
  const words = [
    'std::vector',
    'http://x',
    'localhost:8080',
    'Error:x',
    '-',
    '--force',
    '"agent:none"',
    ' ',
    '""',
    '/a/b/',
  ]
  expect(parseQuery(words, world)).toEqual({
    ...nothing,
    wanted: [
      ...['std::vector', 'http://x', 'localhost:8080', 'Error:x', '-', '--force', 'agent:none', '/a/b/'].map((one) =>
        text(one),
      ),
    ],
  })
})

test.each([
  ['role:boss', /unknown role/, /user, assistant/],
  ['agent:nobody', /unknown agent/, /known:/],
  ['since:soon', /not a time/, /30m/],
  ['-agent:x', /only words can be excluded/, /-"agent:x"/],
  ['x OR agent:x', /only words can be alternatives/, /agent:/],
  ['OR x', /OR needs a word/, /"OR"/],
  ['x OR', /OR needs a word/, /"OR"/],
  ['w AND x OR', /OR needs a word/, /"OR"/],
  ['x OR -y', /OR needs a word/, /"OR"/],
  ['(x OR y) z', /no parentheses/, /quotes/],
  ['agent:', /agent: needs a value/, / "agent:"$/],
  ['rol:user', /unknown filter "rol:"/, /did you mean role:\?/],
  ['node:fs', /unknown filter "node:"/, / "node:fs"$/],
  ['/(/', /not a regular expression/, / "\/\(\/"$/],
])('%s is refused with a hint', (query, message, hint) => {
  expect(() => parseQueryText(query, world)).toThrowError(
    expect.objectContaining({ message: expect.stringMatching(message), hint: expect.stringMatching(hint) }),
  )
})

test.each(['agent:', 'node:fs', '/(/'])('for a shell, the hint for %s has two pairs of quotes', (query) => {
  expect(() => parseQuery([query], world)).toThrowError(
    expect.objectContaining({ hint: expect.stringContaining(`'"${query}"'`) }),
  )
})

test('a query that asks for nothing', () => {
  expect(['', '""', '-word'].map((query) => isEmptyQuery(parseQueryText(query, world)))).toEqual([true, true, true])
  expect(['x', 'is:live', 'since:7d'].map((query) => isEmptyQuery(parseQueryText(query, world)))).toEqual([
    false,
    false,
    false,
  ])
})

const word = fc.stringMatching(/^[a-zäß0-9_.]{1,8}$/)
const term = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => ({ text: words.join(' ') }))

test('a query written out reads back the same', () => {
  const parts = fc.record({
    wanted: fc.array(fc.array(term, { minLength: 1, maxLength: 3 })),
    excluded: fc.array(term),
    agents: fc.uniqueArray(fc.constantFrom(...agents.map(({ id }) => id))),
    roles: fc.uniqueArray(fc.constantFrom(...roles)),
    states: fc.uniqueArray(fc.constantFrom(...states)),
    folder: word.map((name) => `/x${name}`),
  })
  fc.assert(
    fc.property(parts, (query) => {
      const words = [
        ...query.wanted.map((group) => group.map((one) => `"${one.text}"`).join(' OR ')),
        ...query.excluded.map((one) => `-"${one.text}"`),
        ...query.agents.map((id) => `agent:${id}`),
        ...query.roles.map((role) => `role:${role}`),
        ...query.states.map((state) => `is:${state}`),
        `in:${query.folder}`,
      ]
      expect(parseQueryText(words.join(' '), world)).toEqual({ ...nothing, ...query })
      expect(parseQuery(words, world)).toEqual({ ...nothing, ...query })
    }),
  )
})

test('nothing that is typed breaks it but a refusal', () => {
  fc.assert(
    fc.property(fc.string(), (query) => {
      try {
        parseQueryText(query, world)
      } catch (error) {
        expect((error as Error).name).toBe('IonError')
      }
    }),
  )
})
