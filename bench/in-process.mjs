// Calls functions of in-process.ts, each in a process of its own, which has nothing else in its memory.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
const self = fileURLToPath(import.meta.url)

/** Bundles it once, as the code is now: whatever is edited during a long run is not measured. */
export async function bundleInProcess() {
  const { rolldown } = await import('rolldown')
  mkdirSync(`${root}/node_modules/.cache`, { recursive: true })
  const folder = mkdtempSync(`${root}/node_modules/.cache/ion-bench-`)
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const input = { bundle: 'bench/in-process.ts' }
  const bundle = await rolldown({ cwd: root, input, platform: 'node', external: [/^[^./]/], logLevel: 'warn' })
  await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs' })
  return (name, world, ...args) => call(`${folder}/bundle.mjs`, name, [world, ...args])
}

async function call(module, name, args) {
  const [{ home, ionHome }] = args
  const { stdout } = await promisify(execFile)(process.execPath, [self, module, name, JSON.stringify(args)], {
    cwd: home,
    env: { HOME: home, ION_HOME: ionHome, PATH: '' },
    maxBuffer: 1e8,
  })
  return JSON.parse(stdout)
}

if (process.argv[1] === self) {
  const [module, name, args] = process.argv.slice(2)
  const functions = await import(pathToFileURL(module).href)
  console.log(JSON.stringify(functions[name](...JSON.parse(args))))
}
