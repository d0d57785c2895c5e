import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeKeys, type Key } from './key.ts'

const names = (input: string, final = false): string[] =>
  decodeKeys(input, final).keys.map((key) => (key.text === undefined ? key.name : `${key.name} ${key.text}`))

test('keys, letters and pastes', () => {
  expect(names('a日😀\r\x7f\t\x12\x1b[A\x1bOB\x1b[5~\x1b[1;5C\x1b[200~two\nlines\x1b[201~?')).toEqual([
    ...['text a', 'text 日', 'text 😀', 'enter', 'backspace', 'tab', 'ctrl-r', 'up', 'down', 'page-up', 'unknown'],
    ...['paste two\nlines', 'text ?'],
  ])
})

test('a lone escape is a key only if nothing follows', () => {
  expect(decodeKeys('\x1b', false)).toEqual({ keys: [], rest: '\x1b' })
  expect(decodeKeys('\x1b[', false)).toEqual({ keys: [], rest: '\x1b[' })
  expect(names('\x1b', true)).toEqual(['escape'])
  expect(names('\x1b\x1b', true)).toEqual(['escape', 'escape'])
})

test('the keys are the same wherever the input is split', () => {
  const pieces = ['a', '\r', '\x1b[A', '\x1bOP', '\x1b[6~', '\x1b[200~x\ny\x1b[201~', '\x12', '日']
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces)), fc.array(fc.nat(6)), (parts, cuts) => {
      const whole = parts.join('')
      const keys: Key[] = []
      let pending = ''
      let rest = whole
      for (const cut of [...cuts, whole.length]) {
        const decoded = decodeKeys(pending + rest.slice(0, cut), false)
        rest = rest.slice(cut)
        keys.push(...decoded.keys)
        pending = decoded.rest
      }
      expect({ keys, pending }).toEqual({ keys: decodeKeys(whole, false).keys, pending: '' })
    }),
  )
})
