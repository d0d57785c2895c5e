import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LogText } from './log-text.ts'

function read(text: string, step = text.length): string {
  const log = new LogText()
  let out = ''
  for (let at = 0; at < text.length; at += Math.max(1, step)) out += log.push(text.slice(at, at + Math.max(1, step)))
  return out + log.end()
}

test('a screen that is redrawn is printed once', () => {
  const frame = (wheel: string): string =>
    `\x1b[H\x1b[2J\x1b[1mTitle\x1b[0m\x1b[3;1H${wheel} working\x1b[4;1Hanswer:\x1b[2C42`
  expect(read(['|', '/', '|', '/'].map(frame).join(''))).toBe('Title\n| working\nanswer:  42\n/ working\n')
})

test('plain output stays as it is', () => {
  expect(read('one\r\n\x1b[32mtwo\x1b[0m\r\n10%\r50%\r100%\r\n')).toBe('one\ntwo\n10%\n50%\n100%\n')
})

test('words separated by moves to a column stay separated', () => {
  expect(read('\x1b[1Gone\x1b[5Gtwo\x1b[3Cthree\x1b[Gfour')).toBe('one two   three\nfour\n')
  expect(read('\x1b[4;1Hone\x1b[4;5Htwo\x1b[5;1Hthree\r\n\x1b[5;1Hfour')).toBe('one two\nthree\nfour\n')
})

test('it does not matter where the stream is split', () => {
  const piece = fc.constantFrom(
    'word',
    ' ',
    '\r\n',
    '\r',
    '\x1b[2J',
    '\x1b[5;1H',
    '\x1b[5;9H',
    '\x1b[31m',
    '\x1b]0;title\x07',
    '\x1b[3C',
    'é',
  )
  fc.assert(
    fc.property(fc.array(piece), fc.integer({ min: 1, max: 9 }), (pieces, step) => {
      const text = pieces.join('')
      expect(read(text, step)).toBe(read(text))
    }),
  )
})
