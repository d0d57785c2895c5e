import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder } from '../../test/support/scratch.ts'
import { tokenFile, tokenIn } from './token.ts'

test('made once, the same ever after, for the user alone', () => {
  const folder = join(scratchFolder(), 'task')
  const file = tokenFile(folder)
  const { token } = tokenIn(file)
  expect(token).toMatch(/^[\w-]{32}$/)
  expect(tokenIn(file)).toEqual({ token, file })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['serve-token'])
})

test('a file that holds none is told, not written over', () => {
  const file = join(scratchFolder(), 'token')
  writeFileSync(file, 'short\n')
  chmodSync(file, 0o600)
  expect(() => tokenIn(file)).toThrow('holds no token')
})
