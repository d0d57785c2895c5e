import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Screen, type Size } from './screen.ts'
import { leaveText } from './screen-modes.ts'
import { QueryFilter } from './screen-queries.ts'

const size: Size = { columns: 40, rows: 8 }

async function shown(text: string, at: Size = size): Promise<Screen> {
  const screen = new Screen(at)
  screen.write(text)
  await screen.settled()
  return screen
}

/** What another terminal shows that was drawn by `text`, with its modes as the text that would set them. */
async function copied(text: string): Promise<{ text: string; again: string }> {
  const copy = await shown(text)
  return { text: copy.text(), again: copy.visible() }
}

const states: readonly (readonly [string, string])[] = [
  ['plain lines', 'one\r\ntwo\r\nthree'],
  ['colours and wide characters', '\x1b[1;31mred\x1b[0m 漢字 é 👍 \x1b[48;5;20mblue\x1b[0m'],
  ['more lines than the screen', Array.from({ length: 30 }, (_, n) => `line ${n}`).join('\r\n')],
  ['an erased line that wraps to the next row', `${' '.repeat(40)}\x1b[2J `],
  ['the alternate screen', 'shell\r\n\x1b[?1049h\x1b[H\x1b[2Jinside\x1b[5;3Hthere'],
  ['a hidden cursor, mouse, paste and keys', '\x1b[?25l\x1b[?1003h\x1b[?1006h\x1b[?2004h\x1b[?1h\x1b[>1u\x1b[4 qx'],
]

test.each(states)('a client that joins sees the same: %s', async (_, text) => {
  const screen = await shown(text)
  const expected = { text: screen.text(), again: screen.visible() }
  expect(await copied(screen.joined(size))).toEqual(expected)
  expect(await copied(screen.visible())).toEqual(expected)
})

test('whatever was printed, a redrawn screen has the same text', async () => {
  const piece = fc.oneof(
    fc.string({ maxLength: 60 }),
    fc.constantFrom('\r\n', '\x1b[2J', '\x1b[H', '\x1b[3;9H', '\x1b[7m', '\x1b[0m', '\x1b[?1049h', '\x1b[?1049l'),
    fc.constantFrom('\x1b[?25l', '\x1b[?25h', '\x1b[?2004h', '\x1b[>5u', '\x1b[<u', '\x1b[K', '漢字', '\t'),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async (pieces) => {
      const screen = await shown(pieces.join(''))
      expect((await copied(screen.visible())).text).toBe(screen.text())
      expect((await copied(screen.joined(size))).text).toBe(screen.text())
    }),
    { numRuns: 60 },
  )
})

test('after leaving, the modes are those of a shell', async () => {
  const agent = '\x1b[?25l\x1b[?1003h\x1b[?1006h\x1b[?2004h\x1b[?1h\x1b[>1u\x1b[>4;2m\x1b[4 q\x1b[?1049h\x1b[2;5r'
  const left = await shown(`prompt$ ${agent}inside${leaveText(true, true)}`)
  const fresh = await shown('prompt$ ')
  expect({ text: left.text(), again: left.visible() }).toEqual({ text: fresh.text(), again: fresh.visible() })
})

test('terminal queries of the agent are answered by the host and do not reach clients', async () => {
  const screen = new Screen(size)
  const answers: string[] = []
  screen.onAnswer((answer) => answers.push(answer))
  const asked = 'a\x1b[cb\x1b[6nc\x1b[?2026$pd\x1b]11;?\x07e\x1b[?uf\x1b[>0qg'
  await new Promise<void>((resolve) => screen.write(asked, resolve))
  expect(answers.slice(0, 2)).toEqual(['\x1b[?1;2c', '\x1b[1;3R'])
  expect(new QueryFilter().push(asked)).toBe('abcdefg')
})

test('the filter gives the same however the stream is split, and drops only queries', () => {
  const piece = fc.constantFrom(
    'a',
    '漢',
    '\x1b[31m',
    '\x1b[c',
    '\x1b[6n',
    '\x1b]0;title\x07',
    '\x1b]11;?\x1b\\',
    '\x1bP$qm\x1b\\',
    '\x1b7',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.integer({ min: 1, max: 7 }), (pieces, step) => {
      const whole = `${pieces.join('')}.`
      const filter = new QueryFilter()
      let out = ''
      for (let at = 0; at < whole.length; at += step) out += filter.push(whole.slice(at, at + step))
      const questions = new Set(['\x1b[c', '\x1b[6n', '\x1b]11;?\x1b\\', '\x1bP$qm\x1b\\'])
      expect(out).toBe(`${pieces.filter((one) => !questions.has(one)).join('')}.`)
    }),
  )
})

test('wrapped lines are joined, so that a dialog is found in a narrow terminal', async () => {
  const screen = await shown('Do you trust the files in this folder?', { columns: 12, rows: 8 })
  expect(screen.text()).toBe('Do you trust the files in this folder?')
})

test('rows have what is not faint, and the colour of their first character', async () => {
  const screen = await shown('plain\r\n\x1b[32m●\x1b[0m said\r\n  \x1b[38;2;1;2;255mblue\x1b[0m \x1b[2mhint\x1b[0m')
  expect(screen.rows().slice(0, 3)).toEqual([
    { text: 'plain', vivid: 'plain' },
    { text: '● said', vivid: '● said', colour: '2' },
    { text: '  blue hint', vivid: '  blue', colour: '#0102ff' },
  ])
})

test('a terminal that became narrower shows nothing of the columns that it no longer has', async () => {
  const screen = await shown(`\x1b[?1049h\x1b[H${'x'.repeat(40)}`)
  screen.resize({ columns: 10, rows: 8 })
  expect(screen.rows()[0]).toEqual({ text: 'x'.repeat(10), vivid: 'x'.repeat(10) })
  expect(screen.text()).toBe('x'.repeat(10))
})

test('what is inverse or on a coloured background is highlighted', async () => {
  const [orange, dark] = ['\x1b[48;2;245;167;66m', '\x1b[48;2;30;30;30m']
  const screen = await shown(`${dark} a ${orange} 漢 b ${dark} c\r\n\x1b[0;7mturned\x1b[0m plain\r\nplain`)
  const rows = screen.rows().slice(0, 3)
  expect(rows.map(({ highlighted }) => highlighted)).toEqual(['    漢 b', 'turned', undefined])
  expect(rows.map(({ background }) => background)).toEqual(['#1e1e1e', undefined, undefined])
})
