import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, onTestFinished } from 'vitest'
import { isZombie } from '../../src/platform/process.ts'
import { until } from './wait-until.ts'

/** The pid of a real process that lives until the test ends. */
export async function liveChild(): Promise<number> {
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 120_000)'], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child, 'spawn')
  return child.pid!
}

/** The pid of a process that has ended. */
export async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' })
  await once(child, 'exit')
  return child.pid!
}

/** The pid of a process that was killed and whose parent does not ask for its exit code; until the test ends. */
export async function zombiePid(): Promise<number> {
  // Nobody waits for the first child: `exec` has made its parent another program by then.
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void parent.kill('SIGKILL'))
  const [output] = (await once(parent.stdout!, 'data')) as [Buffer]
  const pid = Number(String(output))
  // A shell might still wait for it.
  await until(() => expect(readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n'))
  process.kill(pid, 'SIGKILL')
  await until(() => expect(isZombie(pid)).toBe(true))
  return pid
}
