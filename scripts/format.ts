// Formats generated text like the rest of the tree.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const biome = fileURLToPath(new URL('../node_modules/.bin/biome', import.meta.url))
const root = fileURLToPath(new URL('..', import.meta.url))

export function format(name: string, text: string): string {
  return execFileSync(biome, ['format', `--stdin-file-path=${name}`], { input: text, cwd: root, encoding: 'utf8' })
}
