// Records fixtures: plays fixed runs of a real agent against the stub model, in a network of loopback only, and copies what
// it stored to src/agents/<id>/fixtures/<version>/, without paths of this machine and without the vendor's texts.
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ionProgram, runInside } from './inside.ts'
import { installAgent } from './install.ts'
import { builds } from './pins.ts'
import type { Recording, RecordTask } from './recorder.ts'

const HELP = `npm run record <agent> [-- options]

Plays fixed runs of the real agent (src/agents/<id>/test/pin.json and world.ts) against the stub model, and writes what it
stored to src/agents/<id>/fixtures/<version>/: a tool call and a second prompt, thinking, a failure, a kill in the answer
and the turn after it, a terminal.

  --version <version>  another version than the first one in pin.json
  --force              replace fixtures that exist
  -h, --help           show this help`

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      version: { type: 'string' },
      force: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) console.log(HELP)
  else await record(positionals, values)
} catch (error) {
  console.error(`record: ${(error as Error).message}`)
  process.exitCode = 1
}

async function record(
  names: readonly string[],
  { version, force }: { version?: string; force: boolean },
): Promise<void> {
  const [build] = names.length === 1 ? builds(names) : []
  if (!build) throw new Error('name one agent\n  -> npm run record -- --help')
  const installed = await installAgent(build, { ...(version ? { version } : {}), log: console.log })
  if ('unavailable' in installed) throw new Error(`${build.name} cannot be installed: ${installed.unavailable}`)
  const target = fileURLToPath(
    new URL(`../../src/agents/${build.agent}/fixtures/${installed.version}/`, import.meta.url),
  )
  if (existsSync(target) && !force)
    throw new Error(`${target} exists; recorded fixtures are evidence (--force replaces them)`)
  const home = scratchHome()
  try {
    const task: RecordTask = { agent: build.agent, program: installed.program, ion: ionProgram, home, target }
    const { result } = await runInside<RecordTask, Recording>('recorder.ts', task, { say: console.log })
    console.log(`\nwritten to src/agents/${build.agent}/fixtures/${installed.version}/:`)
    for (const { path, bytes, records } of result.files) {
      const kinds = Object.entries(records).map(([kind, count]) => `${kind} ${count}`)
      console.log(`  ${path} (${bytes} bytes)${kinds.length ? `: ${kinds.join(', ')}` : ''}`)
    }
    for (const path of result.skipped) console.log(`  left out: ${path}`)
    console.log("\nLook at every file before you commit it: no credentials, no names, none of the vendor's prompts.")
  } finally {
    rmSync(home, { recursive: true, force: true })
    rmSync(`${home}.root`, { recursive: true, force: true })
  }
}

/** As long as `/home/dev`, so that its path can be replaced in any file, databases included. */
function scratchHome(): string {
  for (;;) {
    const path = `/tmp/${Math.random().toString(36).slice(2, 6).padEnd(4, 'x')}`
    try {
      mkdirSync(path, { mode: 0o700 })
      return path
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}
