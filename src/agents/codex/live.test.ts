import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scratchIo } from '../../../test/support/scratch.ts'
import { until } from '../../../test/support/wait-until.ts'
import agent from './index.ts'

const FLOCK = '/usr/bin/flock'

test.skipIf(process.platform !== 'linux' || !existsSync(FLOCK))(
  'a session is open while somebody holds the lock on its file',
  async () => {
    const io = scratchIo()
    const folder = join(io.home, '.codex/thread-writer-locks')
    mkdirSync(folder, { recursive: true })
    for (const name of ['open', 'left']) writeFileSync(join(folder, `${name}.lock`), '')
    const holder = spawn(FLOCK, ['--no-fork', join(folder, 'open.lock'), 'sleep', '120'], { stdio: 'ignore' })
    onTestFinished(() => void holder.kill('SIGKILL'))
    const asked = ['open', 'left', 'closed', '../thread-writer-locks/open']
    await until(() =>
      expect(Object.fromEntries(agent.live!(io, asked))).toEqual({ open: holder.pid, left: false, closed: false }),
    )
  },
)

test('without lock files nothing is known', () => {
  expect(agent.live!(scratchIo(), ['any'])).toEqual(new Map())
})
