import { expect, test } from 'vitest'
import { start } from './start.ts'

/** As 1.52.0 draws them. Rows are given with their colour; without one it is the terminal's own. 8 is grey. */
const read = (...lines: readonly string[]) =>
  start.readAnswer!(
    lines.map((line) => {
      const [, colour, text = ''] = /^(?:(\d+):)?(.*)$/.exec(line)!
      return { text, vivid: colour === '8' ? '' : text, ...(colour === undefined ? {} : { colour }) }
    }),
  )

const PROMPT = ['2:  ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌ 0% 130/128k', '> look at the shop', '']
const CALL = ['  ────────────────────────────────────────', '  ▸ shell', '    command: cat > note.txt <<EOF']

test('Markdown as it is written, with quotations and code', () => {
  const text = ['7:Look:', '', '9:> quoted', '7:```py', '8:# comment', '2:"text"', '7:```']
  const rows = ['Look:', '', '> quoted', '```py', '# comment', '"text"', '```']
  expect(read(...PROMPT, ...text)).toEqual({ rows, begins: true })
  const end = ['  ⏱ 0.75s', ...PROMPT.slice(0, 1), '> Enter to send']
  expect(read(...PROMPT, ...text, ...end)).toEqual({ rows, begins: true })
})

test('a prompt of several paragraphs is not an answer', () => {
  expect(read(...PROMPT, 'second paragraph', '', '5:◐  Gathering clues...  (Ctrl+C to interrupt)')).toBeUndefined()
  expect(read(...PROMPT, 'second paragraph', '', '7:It is empty.')).toEqual({ rows: ['It is empty.'], begins: true })
})

test('arguments of a call, its output, thoughts and questions are not said', () => {
  const text = { rows: ['I will write it.'], begins: true }
  const called = [...PROMPT, '7:I will write it.', ...CALL, '2:first', '', '2:third', '']
  expect(read(...called)).toEqual(text)
  expect(read(...called, '2:⠛ started')).toEqual(text)
  expect(read(...called, '    output', '7:Done.')).toEqual({ rows: ['Done.'], begins: true })
  const question = ['  Tool approval request', '    {', '6:◆  Do you allow?', '6:│  ● Allow ', '6:│  ○ Deny ', '6:└  ']
  expect(read(...called, ...question)).toEqual(text)
  expect(read(...called, '2:◇  Do you allow?', '8:│  Allow ', '8:│')).toEqual(text)
  expect(read(...PROMPT, 'Thinking:', 'It may be empty.')).toBeUndefined()
})

test('nothing is said on the first screen', () => {
  const logo = ['7:    __( O)>  ● new session · openai gpt-4o', '7:   \\____)    20261117_1 · /home/dev/shop']
  const ready = ['7:     L L     goose is ready', '2:  ✓ extensions ready']
  expect(read(...logo, ...ready)).toBeUndefined()
  // The prompt was in a file.
  expect(read(...logo, ...ready, '7:It is empty.')).toEqual({ rows: ['It is empty.'], begins: true })
})

test('a text whose beginning has scrolled away', () => {
  expect(read('', '7:the rest', '', '7:of it')).toEqual({ rows: ['the rest', '', 'of it'], begins: false })
})

test('a quotation at the end of an answer is not the input box', () => {
  const rows = [...PROMPT, 'x'].map((text) => ({ text: text.replace(/^\d:/, ''), vivid: text }))
  const quoted = { text: '> quoted', vivid: '> quoted', colour: '9' }
  expect(start.readInput!([...rows, quoted])).toBeUndefined()
})
