// Writes the folder of a new agent: npm run new-agent <id> -- --store lines|json|sqlite. It passes its suites as it is, with
// an invented format; replace the format by the agent's own, file by file.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { uuid } from './samples/fields.ts'
import { SampleHome } from './samples/sample-home.ts'
import type { Sample } from './samples/story.ts'
import { writeSample } from './samples/write-sample.ts'

const HELP = `npm run new-agent <id> -- --store lines|json|sqlite

Writes src/agents/<id>/ for an agent that stores a session as a file of JSON lines, as a JSON file, or as rows of a SQLite
database, and registers it.

  --store <store>  lines, json or sqlite
  --title <title>  the agent's name as its vendor writes it
  -h, --help       show this help`

const STORES = ['lines', 'json', 'sqlite']
const root = fileURLToPath(new URL('..', import.meta.url))

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      store: { type: 'string', default: '' },
      title: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) console.log(HELP)
  else await create(positionals, values)
} catch (error) {
  console.error(`new-agent: ${(error as Error).message}\n  -> npm run new-agent -- --help`)
  process.exitCode = 2
}

async function create(names: readonly string[], { store, title }: { store: string; title?: string }): Promise<void> {
  const [id = ''] = names
  if (names.length !== 1 || !/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(id)) {
    throw new Error('name one agent: lower-case letters, digits and dashes')
  }
  if (!STORES.includes(store)) throw new Error(`--store is one of ${STORES.join(', ')}`)
  const folder = `${root}src/agents/${id}`
  if (existsSync(folder)) throw new Error(`src/agents/${id} already exists`)
  const values = {
    id,
    ID: id.replaceAll('-', '_').toUpperCase(),
    Title: title ?? id.replace(/(^|-)(.)/g, (_, dash: string, letter: string) => (dash && ' ') + letter.toUpperCase()),
    session: uuid(id, 'Say hello to the shop.'),
  }
  for (const [name, text] of Object.entries(templates(store))) {
    const file = `${folder}/${name}`
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, filled(text, values))
  }
  await writeFixture(id, folder)
  run('node_modules/.bin/biome', 'check', '--write', '--log-level=error', folder)
  run('npm', 'run', '--silent', 'generate')
  run('npm', 'run', '--silent', 'samples')
  console.log(`written: src/agents/${id}/, the generated files and samples/${id}/

  1. src/agents/${id}/test/pin.json and world.ts: what to install, and the home in which it runs
  2. npm run record ${id}: fixtures of the real agent
  3. every TODO in src/agents/${id}/
  4. npm run agent ${id}`)
}

/** The texts of a store's files by name; test/fake.ts has a part that is the same for all stores. */
function templates(store: string): Record<string, string> {
  const { 'test/fake-parse.ts': parse = '', ...common } = textsIn('common')
  const own = textsIn(store)
  return { ...common, ...own, 'test/fake.ts': `${own['test/fake.ts']}${parse}` }
}

function textsIn(name: string): Record<string, string> {
  const folder = new URL(`new-agent/${name}/`, import.meta.url)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.txt'))
  return Object.fromEntries(
    files.map((file) => [file.slice(0, -'.txt'.length), readFileSync(new URL(file, folder), 'utf8')]),
  )
}

function filled(text: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce((now, [name, value]) => now.replaceAll(`__${name}__`, value), text)
}

/** The sample is the first fixture. */
async function writeFixture(id: string, folder: string): Promise<void> {
  const { default: sample } = (await import(`${folder}/test/sample.ts`)) as { default: Sample }
  writeSample(id, sample, new SampleHome(`${folder}/fixtures/handmade-example`))
}

function run(file: string, ...args: string[]): void {
  execFileSync(file, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
}
