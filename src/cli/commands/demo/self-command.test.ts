import { expect, test } from 'vitest'
import { scratchIo } from '../../../../test/support/scratch.ts'
import { locationVariables, selfCommand } from './run.ts'

test.each([
  ['/usr/local/bin/ion', '/home/dev/ion', 'ion'],
  ['/home/dev/ion/dist/ion.cjs', '/home/dev/ion', 'node dist/ion.cjs'],
  ['/home/dev/ion/dist/ion.cjs', '/tmp', 'node /home/dev/ion/dist/ion.cjs'],
  ['', '/tmp', 'ion'],
])('%j from %s is called %j', (script, folder, words) => {
  expect(selfCommand(folder, script)).toBe(words)
})

test('only variables that are set are listed', () => {
  expect(locationVariables(scratchIo())).toEqual([])
  expect(locationVariables(scratchIo(undefined, { CODEX_HOME: '/x', XDG_DATA_HOME: '/y', EDITOR: 'vi' }))).toEqual([
    'CODEX_HOME',
    'XDG_DATA_HOME',
  ])
})
