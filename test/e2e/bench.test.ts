import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { builtFolder } from '../support/built.ts'
import { scratchFolder } from '../support/scratch.ts'

const bench = (...args: string[]): Promise<{ stdout: string }> =>
  promisify(execFile)(process.execPath, ['--import', 'tsx', 'bench/run.ts', '--corpus', scratchFolder(), ...args])

test('the benchmark measures a part, prints its goal, and writes no file', async () => {
  const page = readFileSync('docs/performance.md', 'utf8')
  const { stdout } = await bench('--quick', '--only', 'startup', '--rounds', '2', '--dist', builtFolder())
  expect(stdout).toMatch(
    /^measured +goal +result +what\n *\d+\.\d\d x +<= 1\.3 x +(met|missed by \d+ %) +`ion --version`, to `node -e 0` .*in 2 rounds/,
  )
  expect(readFileSync('docs/performance.md', 'utf8')).toBe(page)
})

test('an unknown part is an error that lists the known ones', async () => {
  await expect(bench('--only', 'nothing')).rejects.toThrow(
    /startup, run, list, index, search, append, archive, large, show-last, watch, serve/,
  )
})
