// Writes src/agents/_registry.ts from the folders: an agent is registered by being there, whole.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { format } from './format.mjs'

const agentsFolder = new URL('../src/agents/', import.meta.url)
const target = new URL('_registry.ts', agentsFolder)
const required = ['index.ts', 'paths.ts', 'list.ts', 'read.ts', 'agent.test.ts']

export function registrySource() {
  const names = readdirSync(agentsFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .filter((name) => required.every((file) => existsSync(new URL(`${name}/${file}`, agentsFolder))))
    .sort()
  const variable = (name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase())
  return format(
    '_registry.ts',
    [
      '// Written by scripts/registry.mjs from the folders beside it. Do not edit: npm run generate',
      "import type { Agent } from './agent.ts'",
      ...names.map((name) => `import ${variable(name)} from './${name}/index.ts'`),
      '',
      `export const agents: readonly Agent[] = [${names.map(variable).join(', ')}]`,
      '',
    ].join('\n'),
  )
}

export function writeRegistry() {
  const source = registrySource()
  const before = existsSync(target) ? readFileSync(target, 'utf8') : ''
  if (before !== source) writeFileSync(target, source)
}

if (import.meta.url === `file://${process.argv[1]}`) writeRegistry()
