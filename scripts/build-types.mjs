// Writes the library's types: what tsc makes of src/index.ts, with only the files that it leads to.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** In a declaration tsc leaves `./x.ts` as it is; other compilers look for `./x.d.ts` only beside `./x.js`. */
const RELATIVE = /(from |import\()(['"])(\.{1,2}\/[^'"]+)\.ts\2/g

export function buildTypes(out) {
  const whole = mkdtempSync(join(tmpdir(), 'ion-types-'))
  try {
    const compiler = join(root, 'node_modules/.bin/tsc')
    execFileSync(compiler, ['-p', 'tsconfig.build.json', '--outDir', whole], { cwd: root, stdio: 'inherit' })
    const wanted = ['index.d.ts']
    // Grows while it is walked.
    for (const file of wanted) {
      const text = readFileSync(join(whole, file), 'utf8')
      const target = join(out, file)
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, text.replace(RELATIVE, '$1$2$3.js$2'))
      for (const [, , , path] of text.matchAll(RELATIVE)) {
        const next = `${resolve('/', dirname(file), path).slice(1)}.d.ts`
        if (!wanted.includes(next)) wanted.push(next)
      }
    }
  } finally {
    rmSync(whole, { recursive: true, force: true })
  }
}
