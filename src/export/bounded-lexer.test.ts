import { Marked } from 'marked'
import { expect, test } from 'vitest'
import { BoundedLexer } from './bounded-lexer.ts'

const marked = new Marked()
const html = (text: string): string => marked.parser(new BoundedLexer(marked.defaults).lex(text))

test('what people write is as it always was', () => {
  const text = '# A *title*\n\nSome **bold** [words](https://example.com).\n\n- one `two`\n\n| a |\n|---|\n| _b_ |\n'
  expect(html(text)).toBe(marked.parse(text))
})

test('an endless paragraph is plain text, and the text around it is not', () => {
  const long = '_a_'.repeat(20_000)
  expect(html(`*before*\n\n${long}<b>\n\n*after*`)).toBe(
    `<p><em>before</em></p>\n<p>${long}&lt;b&gt;</p>\n<p><em>after</em></p>\n`,
  )
})
