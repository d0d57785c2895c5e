// Makes modules of src/ importable for scripts: Node 20 does not read TypeScript.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Below node_modules, so that packages left out of the bundle are found, and git does not see it. */
const cache = `${root}/node_modules/.cache`

/** Loads files of this repository by name: `{ walls: 'test/repository/import-walls.ts' }` gives `{ walls: <module> }`. */
export async function loadSource(files) {
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(`${cache}/ion-source-`)
  try {
    const bundle = await rolldown({
      cwd: root,
      input: files,
      platform: 'node',
      // What a command does is loaded when it runs, and here none does.
      external: [/^[^./]/, /\/run\.ts$/],
      logLevel: 'warn',
    })
    await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs' })
    const load = async (name) => [name, await import(pathToFileURL(`${folder}/${name}.mjs`).href)]
    return Object.fromEntries(await Promise.all(Object.keys(files).map(load)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
