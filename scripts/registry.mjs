// Writes src/agents/_registry.ts and _loaders.ts from the folders: an agent is registered by being there, whole.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { format } from './format.mjs'

const agentsFolder = new URL('../src/agents/', import.meta.url)
const required = ['index.ts', 'paths.ts', 'list.ts', 'read.ts', 'agent.test.ts']

const heading = '// Written by scripts/registry.mjs from the folders beside it. Do not edit: npm run generate'

/** What is written, by name. */
export function registrySources() {
  const names = agentNames()
  return { '_registry.ts': registrySource(names), '_loaders.ts': loadersSource(names) }
}

function agentNames() {
  return readdirSync(agentsFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .filter((name) => required.every((file) => existsSync(new URL(`${name}/${file}`, agentsFolder))))
    .sort()
}

function registrySource(names) {
  const variable = (name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase())
  return format(
    '_registry.ts',
    [
      heading,
      "import type { Agent } from './agent.ts'",
      ...names.map((name) => `import ${variable(name)} from './${name}/index.ts'`),
      '',
      `export const agents: readonly Agent[] = [${names.map(variable).join(', ')}]`,
      '',
    ].join('\n'),
  )
}

function loadersSource(names) {
  return format(
    '_loaders.ts',
    [
      heading,
      "import type { Agent } from './agent.ts'",
      '',
      '/** Each agent by itself, by its id. */',
      'export const loaders: ReadonlyMap<string, () => Promise<{ readonly default: Agent }>> = new Map([',
      ...names.map((name) => `['${name}', () => import('./${name}/index.ts')],`),
      '])',
      '',
    ].join('\n'),
  )
}

export function writeRegistry() {
  for (const [name, source] of Object.entries(registrySources())) {
    const target = new URL(name, agentsFolder)
    const before = existsSync(target) ? readFileSync(target, 'utf8') : ''
    if (before !== source) writeFileSync(target, source)
  }
}

if (import.meta.url === `file://${process.argv[1]}`) writeRegistry()
