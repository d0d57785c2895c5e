import { expect, test } from 'vitest'
import { beforeKey, detachKey } from './attach-key.ts'

test('a key in each form in which terminals send it', () => {
  expect(detachKey('ctrl-]')).toEqual({ name: 'Ctrl-]', forms: ['\x1d', '\x1b[93;5u', '\x1b[27;5;93~'] })
  expect(detachKey('^A')).toEqual({ name: 'Ctrl-A', forms: ['\x01', '\x1b[97;5u', '\x1b[27;5;97~'] })
  expect(() => detachKey('a')).toThrow('cannot be the detach key')
  expect(() => detachKey('ctrl-1')).toThrow('cannot be the detach key')
})

test('what was typed before it is passed on, and the key is not', () => {
  const key = detachKey('ctrl-]')
  expect(beforeKey(Buffer.from('abc\x1ddef'), key)?.toString()).toBe('abc')
  expect(beforeKey(Buffer.from('\x1b[93;5u'), key)?.toString()).toBe('')
  expect(beforeKey(Buffer.from('abc]'), key)).toBeUndefined()
})
