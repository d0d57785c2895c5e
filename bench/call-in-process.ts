// Calls functions of in-process.ts, each in a new process that has nothing else in its memory.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import type * as functions from './in-process.ts'
import type { World } from './types.ts'

type Functions = typeof functions

/** Calls one of the functions for a home. */
export type CallInProcess = <Name extends keyof Functions>(
  name: Name,
  ...args: Parameters<Functions[Name]>
) => Promise<Awaited<ReturnType<Functions[Name]>>>

const root = fileURLToPath(new URL('..', import.meta.url))

/** Without tsx, which would be measured too. */
const CALL = `
const [module, name, args] = process.argv.slice(1)
const functions = await import(module)
console.log(JSON.stringify(await functions[name](...JSON.parse(args))))`

/** Bundles the functions once, so that edits during a long run are not measured. */
export async function bundleInProcess(): Promise<CallInProcess> {
  mkdirSync(`${root}/node_modules/.cache`, { recursive: true })
  const folder = mkdtempSync(`${root}/node_modules/.cache/ion-bench-`)
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const input = { bundle: 'bench/in-process.ts' }
  const bundle = await rolldown({
    cwd: root,
    input,
    platform: 'node',
    external: [/^[^./]/],
    logLevel: 'warn',
    checks: { ineffectiveDynamicImport: false },
  })
  await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs' })
  const module = pathToFileURL(`${folder}/bundle.mjs`).href
  return async (name, ...args) => {
    const { home, ionHome }: World = args[0]
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', CALL, module, name, JSON.stringify(args)],
      { cwd: home, env: { HOME: home, ION_HOME: ionHome, PATH: '' }, maxBuffer: 1e8 },
    )
    return JSON.parse(stdout)
  }
}
