// Writes every generated file. `--check` writes nothing and fails when one is out of date.
import { readFileSync, writeFileSync } from 'node:fs'
import { format } from './format.ts'
import { longTable, promptTable, sections, shortTable, terraformAgents } from './generate/agent-tables.ts'
import { cliReference } from './generate/cli-reference.ts'
import { eventJsonSchema } from './generate/event-schema.ts'
import { keyTable } from './generate/key-table.ts'
import { levelsSource, resumedWithoutVolume } from './generate/levels.ts'
import { replaceBetween, replaceLines } from './generate/markdown.ts'
import { programsSource } from './generate/programs.ts'
import { quickCommandsSource } from './generate/quick-commands.ts'
import { wallsTable } from './generate/walls-table.ts'
import { wasmSource } from './generate/wasm.ts'
import { registrySources } from './registry.ts'

const root = new URL('..', import.meta.url)
const check = process.argv.includes('--check')
const stale: string[] = []

// The registry comes first: the modules that the rest is made from import it.
for (const [name, source] of Object.entries(registrySources())) put(`src/agents/${name}`, source)
const proof = JSON.parse(read('docs/proof.json') || '{"agents":[]}')
put('src/agents/_levels.ts', levelsSource(proof))

const { agents } = await import('../src/agents/_registry.ts')
const { measuredLevel } = await import('../src/agents/level.ts')
const { commands } = await import('../src/cli/commands/index.ts')
const { helpOf } = await import('../src/cli/picker/keys.ts')
const { exitCodes } = await import('../src/platform/error.ts')
const { matrixText, readMatrix } = await import('../test/handover/matrix.ts')
const { typeWalls, walls } = await import('../test/repository/import-walls.ts')

put('src/agents/_programs.ts', programsSource(agents))

const WAT = 'byte-search.wat'
const kernel = await wasmSource(WAT, read(`src/native/byte-search/${WAT}`))
put('src/native/byte-search/wasm.ts', format('src/native/byte-search/wasm.ts', kernel))
put('src/cli/_quick-commands.ts', quickCommandsSource(commands, ['changes', 'sessions', 'show', 'status']))
put('docs/format.schema.json', eventJsonSchema())
put('docs/cli.md', format('docs/cli.md', cliReference(commands, exitCodes)))
const measured = { level: measuredLevel, withoutVolume: resumedWithoutVolume(proof) }
fill('README.md', { agents: shortTable(agents, measured) })
fill('docs/agents.md', { agents: longTable(agents, measured), details: sections(agents) })
put('deploy/coder/ion/main.tf', replaceLines(read('deploy/coder/ion/main.tf'), 'agents', terraformAgents(agents)))
fill('docs/picker.md', { keys: keyTable(helpOf('show')) })
fill('docs/handover.md', { matrix: matrixText(readMatrix()) })
fill('docs/running.md', { prompts: promptTable(agents) })
fill('ARCHITECTURE.md', { walls: wallsTable(walls, typeWalls) })

if (!check) console.log(stale.length ? `written: ${stale.join(', ')}` : 'everything was up to date')
else if (stale.length) {
  console.error(`out of date: ${stale.join(', ')}\n  -> npm run generate, and commit the result`)
  process.exitCode = 1
}

function put(path: string, text: string): void {
  if (read(path) === text) return
  stale.push(path)
  if (!check) writeFileSync(new URL(path, root), text)
}

/** Replaces the generated parts of a document. */
function fill(path: string, parts: Readonly<Record<string, string>>): void {
  const text = Object.entries(parts).reduce((now, [name, part]) => replaceBetween(now, name, part), read(path))
  put(path, format(path, text))
}

function read(path: string): string {
  try {
    return readFileSync(new URL(path, root), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
