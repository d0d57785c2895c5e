// Small files stay readable: over 300 lines is told, over 500 fails. Not for tests and what is generated.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const WARN = 300
const FAIL = 500
const root = fileURLToPath(new URL('../..', import.meta.url))

export async function fileSizes() {
  const long = ['src', 'scripts', 'bench']
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.(tsx?|mjs)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/\.test\.|\.gen\.|_(registry|loaders)\.ts$|[\\/]fixtures[\\/]/.test(file))
    .map((file) => ({ file: relative(root, file), lines: readFileSync(file, 'utf8').split('\n').length - 1 }))
    .filter(({ lines }) => lines > WARN)
    .sort((a, b) => b.lines - a.lines)
  const list = (files) => files.map(({ file, lines }) => `${file} has ${lines} lines`).join('\n')
  const wrong = long.filter(({ lines }) => lines > FAIL)
  return {
    wrong: wrong.length ? `${list(wrong)}\nsplit by what it does: ${FAIL} is the limit` : '',
    notes: list(long.filter(({ lines }) => lines <= FAIL)),
  }
}
