// Writes the library's types: what tsc makes of src/index.ts, with only the files that it leads to.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** tsc leaves `./x.ts` in a declaration as it is; other compilers look for `./x.d.ts` only beside `./x.js`. */
const RELATIVE = /(from |import\()(['"])(\.{1,2}\/[^'"]+)\.ts\2/g

export function buildTypes(out: string): void {
  const all = mkdtempSync(join(tmpdir(), 'ion-types-'))
  try {
    const compiler = join(root, 'node_modules/.bin/tsc')
    execFileSync(compiler, ['-p', 'tsconfig.build.json', '--outDir', all], { cwd: root, stdio: 'inherit' })
    const needed = ['index.d.ts']
    // Grows while it is iterated.
    for (const file of needed) {
      const text = readFileSync(join(all, file), 'utf8')
      const target = join(out, file)
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, text.replace(RELATIVE, '$1$2$3.js$2'))
      for (const [, , , path] of text.matchAll(RELATIVE)) {
        const next = `${resolve('/', dirname(file), path!).slice(1)}.d.ts`
        if (!needed.includes(next)) needed.push(next)
      }
    }
  } finally {
    rmSync(all, { recursive: true, force: true })
  }
}
