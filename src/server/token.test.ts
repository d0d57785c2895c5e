import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder } from '../../test/support/scratch.ts'
import { loadToken, tokenFile } from './token.ts'

test('is created once, stays the same, and only the user may read it', () => {
  const folder = join(scratchFolder(), 'task')
  const file = tokenFile(folder)
  const { token } = loadToken(file)
  expect(token).toMatch(/^[\w-]{32}$/)
  expect(loadToken(file)).toEqual({ token, file })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['serve-token'])
})

test('a file without a token is an error, and not overwritten', () => {
  const file = join(scratchFolder(), 'token')
  writeFileSync(file, 'short\n')
  chmodSync(file, 0o600)
  expect(() => loadToken(file)).toThrow('does not contain a token')
})
