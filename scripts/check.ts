// Everything but the tests: npm run check [-- folder…]. First it fixes what the formatter and the linter can fix (not in
// CI, where that is a failure). With folders, only these are formatted and linted, and what concerns the whole package is
// left out. All steps run, whatever fails; the last line counts them.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { importWalls } from './check/import-walls.ts'
import { lockfile } from './check/lockfile.ts'
import { publishedPackage } from './check/package.ts'
import type { StepResult } from './check/step.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Lines that are shown of one step. */
const MAX_LINES = 80

const folders = process.argv.slice(2)
const missing = folders.filter((folder) => !existsSync(folder))
if (missing.length > 0) {
  console.error(`no such folder: ${missing.join(', ')}\n  -> npm run check -- src/agents/claude`)
  process.exit(2)
}

const fix = process.env.CI ? [] : ['--write']
const paths = folders.length > 0 ? folders : ['.']

const steps: Readonly<Record<string, () => Promise<StepResult>>> = {
  'format and lint': () =>
    run('node_modules/.bin/biome', 'check', ...fix, '--error-on-warnings', '--diagnostic-level=warn', ...paths),
  types: () => run('node_modules/.bin/tsc', '-p', '.'),
  'import walls': importWalls,
  ...(folders.length > 0
    ? {}
    : {
        'types of the page': () => run('node_modules/.bin/tsc', '-p', 'src/web', '--noEmit'),
        'types of its tests': () => run('node_modules/.bin/tsc', '-p', 'test/web', '--noEmit'),
        'generated files': () => run('npm', 'run', '--silent', 'generate', '--', '--check'),
        'dead code': () => run('node_modules/.bin/knip', '--no-progress'),
        lockfile,
        package: publishedPackage,
      }),
}

let failed = 0
for (const [name, step] of Object.entries(steps)) {
  const start = performance.now()
  const { wrong = '' } = await step().catch((error: Error): StepResult => ({ wrong: error.stack ?? String(error) }))
  if (wrong) failed++
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(`${wrong ? 'FAIL' : 'ok  '}  ${name.padEnd(18)} ${seconds.padStart(5)} s`)
  if (wrong) console.log(shortened(wrong).replace(/^/gm, '      '))
}
console.log(`check: ${Object.keys(steps).length - failed} passed, ${failed} failed`)
process.exitCode = failed ? 1 : 0

/** The diff of a file that was never formatted would fill the screen. */
function shortened(text: string): string {
  const lines = text.trimEnd().split('\n')
  const more = lines.length > MAX_LINES ? [`… ${lines.length - MAX_LINES} more lines`] : []
  return [...lines.slice(0, MAX_LINES), ...more].join('\n')
}

/** Runs a program; if it fails, its output is what is wrong. */
function run(file: string, ...args: string[]): Promise<StepResult> {
  return new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: '1' }
    const child = spawn(file, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (part: string) => (text += part))
    }
    child.on('error', (error) => resolve({ wrong: `${file}: ${error.message}` }))
    child.on('close', (code) => resolve(code === 0 ? {} : { wrong: text || `${file} exited with ${code}` }))
  })
}
