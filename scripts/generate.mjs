// Writes every generated file. `--check` writes nothing and fails when one is not as it would be written.
import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { format } from './format.ts'
import { longTable, sections, shortTable } from './generate/agent-tables.mjs'
import { cliReference } from './generate/cli-reference.mjs'
import { eventJsonSchema } from './generate/event-schema.mjs'
import { levelsSource } from './generate/levels.mjs'
import { replaceBetween } from './generate/markdown.mjs'
import { wallsTable } from './generate/walls-table.mjs'
import { loadSource } from './load-source.mjs'
import { registrySources } from './registry.ts'

const root = new URL('..', import.meta.url)

/** The generated files as they should be, and those of them that are not. The registry first: the others need it. */
export async function generate({ write }) {
  const stale = []
  const put = (path, text) => {
    if (readOrEmpty(path) === text) return
    stale.push(path)
    if (write) writeFileSync(new URL(path, root), text)
  }
  for (const [name, source] of Object.entries(registrySources())) put(`src/agents/${name}`, source)
  put('src/agents/_levels.ts', levelsSource(JSON.parse(readOrEmpty('docs/proof.json') || '{"agents":[]}')))
  const { registry, level, commands, error, schema, version, walls } = await loadSource({
    registry: 'src/agents/_registry.ts',
    level: 'src/agents/level.ts',
    commands: 'src/cli/commands/index.ts',
    error: 'src/platform/error.ts',
    schema: 'src/events/schema.ts',
    version: 'src/events/format-version.ts',
    walls: 'test/repository/import-walls.ts',
  })
  const { agents } = registry
  const document = (path, parts) => {
    const text = Object.entries(parts).reduce((now, [name, part]) => replaceBetween(now, name, part), readOrEmpty(path))
    put(path, format(path, text))
  }
  put('docs/format.schema.json', eventJsonSchema(schema.eventSchema, version.FORMAT_VERSION))
  put('docs/cli.md', format('docs/cli.md', cliReference(commands.commands, error.exitCodes)))
  document('README.md', { agents: shortTable(agents, level.measuredLevel) })
  document('docs/agents.md', { agents: longTable(agents, level.measuredLevel), details: sections(agents) })
  document('ARCHITECTURE.md', { walls: wallsTable(walls.walls, walls.typeWalls) })
  return stale
}

function readOrEmpty(path) {
  try {
    return readFileSync(new URL(path, root), 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return ''
    throw error
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const check = process.argv.includes('--check')
  const stale = await generate({ write: !check })
  if (!check) console.log(stale.length ? `written: ${stale.join(', ')}` : 'everything was up to date')
  else if (stale.length) {
    console.error(`not up to date: ${stale.join(', ')}\nnpm run generate writes them; commit the result`)
    process.exitCode = 1
  }
}
