import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder } from '../../test/support/scratch.ts'
import { readSettings, valueAt, withoutComments, withValue } from './settings.ts'

test('comments are ignored, but not inside strings', () => {
  const file = join(scratchFolder(), 'settings.json')
  writeFileSync(file, '// mine\n{ "url": "https://a/*b*/ \\"//c", /* two\nlines */ "n": 1 // last\n}')
  expect(readSettings(file)).toEqual({ url: 'https://a/*b*/ "//c', n: 1 })
})

test('a string of many megabytes does not overflow the stack', () => {
  const text = JSON.stringify({ pasted: 'x'.repeat(20e6) })
  expect(withoutComments(text)).toBe(text)
})

test('a value is found and set by its path of keys', () => {
  const settings = { general: { theme: 'dark' }, list: [1] }
  expect(valueAt(settings, ['general', 'theme'])).toBe('dark')
  expect(valueAt(settings, ['list', 'theme'])).toBeUndefined()
  expect(withValue(settings, ['general', 'retention', 'enabled'], false)).toEqual({
    general: { theme: 'dark', retention: { enabled: false } },
    list: [1],
  })
})
