// Runs one process to its end and tells what it took. The CPU time and the peak come from the process itself.
import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const hook = fileURLToPath(new URL('usage-hook.cjs', import.meta.url))
const baseline = fileURLToPath(new URL('baseline.mjs', import.meta.url))
/** Text that is kept of what a process prints. */
const KEPT = 1e6

/**
 * Nothing of the real environment is passed on: the home is a corpus, and no variable leads out of it.
 * `folder` is a scratch folder; `world` has `home` and `ionHome`, and the `path` where
 * programs are started.
 */
export async function runNode(folder, args, world = { home: folder, ionHome: join(folder, 'ion') }) {
  const usage = join(folder, 'usage.json')
  const started = performance.now()
  const child = spawn(process.execPath, ['--require', hook, ...args], {
    cwd: folder,
    env: { HOME: world.home, ION_HOME: world.ionHome, PATH: world.path ?? '', NO_COLOR: '1', ION_BENCH_USAGE: usage },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  let errors = ''
  let printed = 0
  // Read as fast as it comes, counted, and thrown away.
  child.stdout.on('data', (part) => {
    printed += part.length
    if (text.length < KEPT) text += part.toString('latin1')
  })
  child.stderr.setEncoding('utf8').on('data', (part) => (errors += part))
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}\n${errors}`)
  const { cpuMs, spawnCpuMs, peakKb } = JSON.parse(readFileSync(usage, 'utf8'))
  rmSync(usage)
  return { cpuMs, spawnCpuMs, peakMb: (peakKb * 1024) / 1e6, wallMs: performance.now() - started, printed, text }
}

/** The floor of every program in this language. */
export function runFloor(folder) {
  return runNode(folder, ['-e', '0'])
}

/** Reads every line below a folder: `split` only finds them, `parse` makes values of them. */
export function runBaseline(folder, way, data) {
  return runNode(folder, [baseline, way, data])
}
