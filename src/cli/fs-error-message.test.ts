import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder } from '../../test/support/scratch.ts'
import { describeFsError } from './fs-error-message.ts'

test('file system errors are described with the path and a hint', () => {
  const folder = scratchFolder()
  const file = join(folder, 'file')
  writeFileSync(file, '')
  expect(describeFsError(thrown(() => mkdirSync(join(file, 'below'), { recursive: true })))).toEqual({
    message: `${join(file, 'below')}: part of the path is a file, not a folder`,
    what: 'part of the path is a file, not a folder',
    hint: 'choose another place',
  })
  expect(describeFsError(thrown(() => readFileSync(join(folder, 'nope'))))).toEqual({
    message: `${join(folder, 'nope')}: no such file or folder`,
    what: 'no such file or folder',
    hint: 'give the path of an existing one',
  })
})

test('other errors are not described', () => {
  expect([new Error('x'), undefined, null, 'text', thrown(() => JSON.parse('{'))].map(describeFsError)).toEqual(
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
