import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sessionRow } from '../../../test/support/session-rows.ts'
import { TextMatcher } from '../../catalog/search/text-query.ts'
import { fieldsOf, matching, parseWanted, toListed } from './match.ts'

const rows = [
  sessionRow({ id: 'aaaaaaaa-0000-4000-8000-000000000001', title: 'Café crème', cwd: '/home/dev/src/shop' }),
  sessionRow({
    id: 'bbbbbbbb-0000-4000-8000-000000000002',
    title: '日本語のセッション',
    cwd: '/srv/Shop/api',
    agent: 'codex',
  }),
  sessionRow({ id: 'cccccccc-0000-4000-8000-000000000003', title: 'fixTheWebhook', tags: ['money'], note: 'ask Ann' }),
]
const found = (query: string) => matching(rows.map(toListed), parseWanted(query)).map(({ row }) => row.id[0])

test.each([
  ['cafe', 'a'],
  ['CAFÉ CRÈ', 'a'],
  ['webho', 'c'],
  ['本語', 'b'],
  ['shop', 'abc'],
  ['dev/src', 'a'],
  ['codex shop', 'b'],
  ['bbbbbbbb-0000', 'b'],
  ['#money', 'c'],
  ['ann', 'c'],
  ['shop -cafe', 'bc'],
  ['cafe OR webhook', 'ac'],
  ['"cafe creme"', 'a'],
  ['"creme /home"', ''],
  ['/^caf.|ses/', 'a'],
  ['role:user shop', ''],
  ['', 'abc'],
])('%s', (query, ids) => {
  expect(found(query).join('')).toBe(ids)
})

test('an unfinished filter is looked for as words, and reported', () => {
  expect([found('agent:'), parseWanted('agent:').problem, parseWanted('agent:codex').problem]).toEqual([
    [],
    'agent: needs a value',
    '',
  ])
})

test('what is found is what search finds in the same texts', () => {
  const letter = fc.constantFrom('a', 'A', 'é', 'e\u0301', 'É', 'Σ', 'ς', 'σ', '界', '😀', ' ', '\n', '-', '.', 'İ')
  const text = fc.array(letter, { maxLength: 8 }).map((letters) => letters.join(''))
  const word = text.map((one) => one.replace(/\s/g, '')).filter((one) => /^[^-]/.test(one))
  fc.assert(
    fc.property(text, text, fc.array(word, { minLength: 1, maxLength: 2 }), (title, cwd, words) => {
      const row = sessionRow({ title, cwd })
      const isFound = matching([toListed(row)], parseWanted(words.join(' '))).length === 1
      const isIn = (one: string): boolean => {
        const matcher = new TextMatcher({ wanted: [[{ text: one }]], excluded: [] })
        return fieldsOf(row).some((field) => matcher.matches(field))
      }
      expect(isFound).toBe(words.every(isIn))
    }),
  )
})
