// Everything but the tests: npm run check. All steps run, whatever fails; the last line counts them.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { fileSizes } from './check/file-sizes.mjs'
import { importWalls } from './check/import-walls.mjs'
import { lockfile } from './check/lockfile.mjs'
import { package_ } from './check/package.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Lines that are shown of one step. */
const MOST = 80

/** Each gives what is wrong, as text; nothing when all is well. `notes` are told but fail nothing. */
const steps = {
  'format and lint': () =>
    program('node_modules/.bin/biome', 'check', '--error-on-warnings', '--diagnostic-level=warn', '.'),
  types: () => program('node_modules/.bin/tsc', '-p', '.'),
  'types of the page': () => program('node_modules/.bin/tsc', '-p', 'src/web', '--noEmit'),
  'types of its tests': () => program('node_modules/.bin/tsc', '-p', 'test/web', '--noEmit'),
  'generated files': () => program(process.execPath, 'scripts/generate.mjs', '--check'),
  'import walls': importWalls,
  'file sizes': fileSizes,
  'dead code': () => program('node_modules/.bin/knip', '--no-progress'),
  lockfile,
  package: package_,
}

let failed = 0
for (const [name, step] of Object.entries(steps)) {
  const start = performance.now()
  const { wrong = '', notes = '' } = await step().catch((error) => ({ wrong: error.stack }))
  if (wrong) failed++
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(`${wrong ? 'FAIL' : 'ok  '}  ${name.padEnd(18)} ${seconds.padStart(5)} s`)
  for (const text of [notes, wrong]) if (text) console.log(shortened(text).replace(/^/gm, '      '))
}
console.log(`check: ${Object.keys(steps).length - failed} passed, ${failed} failed`)
process.exitCode = failed ? 1 : 0

/** A file that was never formatted would fill the screen with its diff. */
function shortened(text) {
  const lines = text.trimEnd().split('\n')
  return [...lines.slice(0, MOST), ...(lines.length > MOST ? [`… ${lines.length - MOST} more lines`] : [])].join('\n')
}

/** Runs a program; what it prints is what is wrong, if it fails. */
function program(file, ...args) {
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd: root,
      env: { ...process.env, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (text += part))
    child.on('error', (error) => resolve({ wrong: `${file}: ${error.message}` }))
    child.on('close', (code) => resolve(code === 0 ? {} : { wrong: text || `${file} ended with ${code}` }))
  })
}
