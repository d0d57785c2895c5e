import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { scratchIo } from '../../test/support/scratch.ts'
import { ionHome } from './home.ts'

const home = (ION_HOME: string): string => {
  const io = scratchIo()
  return ionHome({ ...io, home: '/home/dev', cwd: '/home/dev/shop', env: { ...io.env, ION_HOME } })
}

test('ION_HOME is an absolute path, or one below the home folder with a ~ that no shell has replaced', () => {
  expect(home('/data/ion')).toBe('/data/ion')
  expect(home('~/.ion-work')).toBe('/home/dev/.ion-work')
  expect(home('~')).toBe('/home/dev')
})

test.each(['.ion', 'data/ion', './ion', '~other/ion'])('ION_HOME=%s would be another home in each folder', (path) => {
  const message = `ION_HOME is not an absolute path: ${path}`
  const hint = `set ION_HOME=${resolve('/home/dev/shop', path)}, or unset it`
  expect(() => home(path)).toThrow(expect.objectContaining({ kind: 'usage', message, hint }))
})
