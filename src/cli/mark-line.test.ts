import { expect, test } from 'vitest'
import { TextMatcher } from '../catalog/search/text-query.ts'
import { lessPattern, markLine } from './mark-line.ts'

const mark = (line: string, ...words: string[]): string =>
  markLine(line, new TextMatcher({ wanted: words.map((text) => [{ text }]), excluded: [] }), (text) => `[${text}]`)

test('marks every place, also across colours, and changes nothing else', () => {
  expect(mark('the Webhook and the webhooks', 'webhook')).toBe('the [Webhook] and the [webhook]s')
  expect(mark('a \x1b[2mfaint web\x1b[22mhook', 'webhook')).toBe('a \x1b[2mfaint [web]\x1b[22m[hook]')
  expect(mark('nothing \x1b[1mhere\x1b[22m', 'webhook')).toBe('nothing \x1b[1mhere\x1b[22m')
  expect(mark('both a and b', 'a', 'both')).toBe('[both] [a] [a]nd b')
})

test('the expression for less finds every word, phrase and regular expression', () => {
  expect(lessPattern([[{ text: 'a.b(c)' }, { text: 'exit code' }], [{ regex: 'x+' }]])).toBe(
    'a\\.b\\(c\\)|exit[[:space:]]+code|x+',
  )
})
