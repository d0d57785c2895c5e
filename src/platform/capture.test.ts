import { expect, test } from 'vitest'
import { scratchIo } from '../../test/support/scratch.ts'
import { capture } from './capture.ts'

const run = (script: string, timeoutMs = 10_000): unknown =>
  capture(process.execPath, ['-e', script], scratchIo(), timeoutMs)

test('returns stdout and stderr of a command that succeeded', () => {
  expect(run("console.log('out'); console.error('err')")).toEqual({ stdout: 'out\n', stderr: 'err\n' })
})

test('says how a command failed, with its stderr', () => {
  expect(run("console.error('no key'); process.exit(3)")).toEqual({
    problem: 'failed with exit code 3',
    stderr: 'no key\n',
  })
  expect(run("process.kill(process.pid, 'SIGTERM'); setTimeout(() => {}, 5000)")).toEqual({
    problem: 'was killed by SIGTERM',
    stderr: '',
  })
  expect(run('setTimeout(() => {}, 60_000)', 300)).toEqual({ problem: 'took longer than 0.3 s', stderr: '' })
  expect(capture('/no/such/program', [], scratchIo(), 1000)).toEqual({
    problem: expect.stringMatching(/^could not be run: .*ENOENT/),
    stderr: '',
  })
})
