import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder } from '../../test/support/scratch.ts'
import { fileTrouble } from './fs-error-message.ts'

test('errors of the file system are told with the path and a way out', () => {
  const folder = scratchFolder()
  const file = join(folder, 'file')
  writeFileSync(file, '')
  expect(fileTrouble(thrown(() => mkdirSync(join(file, 'below'), { recursive: true })))).toEqual({
    message: `${join(file, 'below')}: a part of the path is a file, not a folder`,
    what: 'a part of the path is a file, not a folder',
    hint: 'choose another place',
  })
  expect(fileTrouble(thrown(() => readFileSync(join(folder, 'nope'))))).toEqual({
    message: `${join(folder, 'nope')}: no such file or folder`,
    what: 'no such file or folder',
    hint: 'check the path',
  })
})

test('what is no error of the file system is left to others', () => {
  expect([new Error('x'), undefined, null, 'text', thrown(() => JSON.parse('{'))].map(fileTrouble)).toEqual(
    Array(5).fill(undefined),
  )
})

function thrown(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}
