import { expect, test } from 'vitest'
import { IonError } from './error.ts'
import { writeHint } from './write-hint.ts'

const failure = (code: string): Error => Object.assign(new Error(code), { code })

test.each([
  ['ENOSPC', 'free disk space on the disk of /x'],
  ['EDQUOT', 'free disk space on the disk of /x'],
  ['EACCES', 'check the permissions of /x, or set ION_HOME to a folder that you can write to'],
  ['EPERM', 'check the permissions of /x, or set ION_HOME to a folder that you can write to'],
  ['EROFS', 'set ION_HOME to a folder that you can write to'],
  ['ENOTDIR', 'set ION_HOME to a folder that you can write to'],
  ['EIO', 'free disk space or check the permissions of /x'],
])('the hint after %s fits the cause, however deep it is', (code, hint) => {
  expect(writeHint(failure(code), '/x')).toBe(hint)
  expect(writeHint(new IonError('failed', 'cannot lock', { cause: failure(code) }), '/x')).toBe(hint)
})

test('a file that the user named is not moved by ION_HOME', () => {
  expect(writeHint(failure('EROFS'), '/x', 'give another file')).toBe('give another file')
})
