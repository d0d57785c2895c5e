import { spawnSync } from 'node:child_process'
import { existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { builtFolder } from '../../test/support/built.ts'
import { scratchIo } from '../../test/support/scratch.ts'

/** The built program with these as its stdout and stderr. */
function ion(stdout: number | 'pipe', stderr: number | 'pipe'): { code: number | null; err: string } {
  const { status, stderr: err } = spawnSync(process.execPath, [join(builtFolder(), 'ion.cjs'), '--help'], {
    env: { ...scratchIo().env, NO_COLOR: '1' },
    stdio: ['ignore', stdout, stderr],
    encoding: 'utf8',
  })
  return { code: status, err: err ?? '' }
}

// Linux has a device that is always full.
test.skipIf(!existsSync('/dev/full'))('a full disk behind the output is reported in plain words', () => {
  expect(ion(openSync('/dev/full', 'w'), 'pipe')).toEqual({
    code: 1,
    err: 'ion: cannot write the output: the disk is full\n  -> free disk space and try again\n',
  })
})

test.skipIf(!existsSync('/dev/full'))('notices that nobody can take are no failure', () => {
  expect(ion('pipe', openSync('/dev/full', 'w'))).toEqual({ code: 0, err: '' })
})
