// Runs one process to its end and reports what it took. CPU time and peak memory come from the process itself.
import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { World } from './types.ts'

const hook = fileURLToPath(new URL('usage-hook.cjs', import.meta.url))
const baseline = fileURLToPath(new URL('baseline.mjs', import.meta.url))
/** Characters kept of a process's output. */
const KEPT = 1e6

/** What a process took. */
export interface Usage {
  readonly cpuMs: number
  /** Until it started another program. */
  readonly spawnCpuMs?: number
  readonly peakMb: number
  readonly wallMs: number
  /** Bytes and lines printed. */
  readonly printed: number
  readonly lines: number
  /** The first of them. */
  readonly text: string
}

/**
 * Nothing of the real environment is passed on: the home is a corpus, and no variable points outside it.
 * `folder` is a scratch folder.
 */
export async function runNode(
  folder: string,
  args: readonly string[],
  world: World = { home: folder, ionHome: join(folder, 'ion') },
  expected: readonly number[] = [0],
): Promise<Usage> {
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
  let lines = 0
  // Read as fast as it comes, counted, and discarded.
  child.stdout.on('data', (part: Buffer) => {
    printed += part.length
    for (let at = part.indexOf(10); at >= 0; at = part.indexOf(10, at + 1)) lines++
    if (text.length < KEPT) text += part.toString('latin1')
  })
  child.stderr.setEncoding('utf8').on('data', (part: string) => (errors += part))
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve))
  if (code === null || !expected.includes(code)) throw new Error(`node ${args.join(' ')} ended with ${code}\n${errors}`)
  const { cpuMs, spawnCpuMs, peakKb } = JSON.parse(readFileSync(usage, 'utf8')) as {
    cpuMs: number
    spawnCpuMs?: number
    peakKb: number
  }
  rmSync(usage)
  return {
    cpuMs,
    ...(spawnCpuMs === undefined ? {} : { spawnCpuMs }),
    peakMb: (peakKb * 1024) / 1e6,
    wallMs: performance.now() - started,
    printed,
    lines,
    text,
  }
}

/** The floor of every program in this language. */
export function runFloor(folder: string): Promise<Usage> {
  return runNode(folder, ['-e', '0'])
}

/** Reads every line below a folder: `split` only finds them, `parse` makes values of them. */
export function runBaseline(folder: string, mode: 'split' | 'parse', data: string): Promise<Usage> {
  return runNode(folder, [baseline, mode, data])
}
