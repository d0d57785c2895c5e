// Records what a real agent shows in a terminal while it waits, works and asks, to src/agents/<id>/test/screens/.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ionProgram, runInside } from './inside.ts'
import { installAgent } from './install.ts'
import { builds } from './pins.ts'
import type { RecordedScreen, ScreensTask } from './screens-worker.ts'

const HELP = `npm run record-screens <agent> [-- ONLY=<screens> VERSION=<version> NAME=value... arguments of the agent...]

Starts the real agent (src/agents/<id>/test/pin.json and world.ts) in a terminal against the stub model, without the
arguments that let tools run, and writes what its screen shows to src/agents/<id>/test/screens/: the screens that all agents
have, and those in \`screens\` of its world.ts. ONLY=writing,written writes these screens and no others; VERSION=<version>
records another one than the first that is pinned, in files that are named by it.`

const [name, ...rest] = process.argv.slice(2)
const isVariable = (word: string): boolean => /^[A-Z_]+=/.test(word)
const { ONLY, VERSION, ...env } = Object.fromEntries(
  rest.filter(isVariable).map((word) => [word.split('=', 1)[0]!, word.replace(/^[A-Z_]+=/, '')]),
)
const args = rest.filter((word) => !isVariable(word))
const names = name === undefined ? [] : [name]
if (names.length !== 1 || names[0]?.startsWith('-')) {
  console.log(HELP)
  process.exit(names[0] === '--help' ? 0 : 2)
}
for (const build of builds(names)) {
  const installed = await installAgent(build, { ...(VERSION ? { version: VERSION } : {}), log: console.log })
  if ('unavailable' in installed) throw new Error(`${build.name} cannot be installed: ${installed.unavailable}`)
  const root = mkdtempSync(join(tmpdir(), 'ion-screens-'))
  const subject = { name: build.name, agent: build.agent, version: installed.version, program: installed.program }
  const task: ScreensTask = { root, subject, ion: ionProgram, args, env }
  try {
    const { result } = await runInside<ScreensTask, RecordedScreen[]>('screens-worker.ts', task, { say: console.log })
    const target = fileURLToPath(new URL(`../../src/agents/${build.agent}/test/screens/`, import.meta.url))
    mkdirSync(target, { recursive: true })
    for (const { name, ...screen } of result) {
      if (ONLY !== undefined && !ONLY.split(',').includes(name)) continue
      const record = { agent: build.agent, version: installed.version, ...screen }
      writeFileSync(join(target, `${name}${VERSION ? `-${VERSION}` : ''}.json`), `${JSON.stringify(record, null, 2)}\n`)
      console.log(`── ${name}\n${screen.rows.join('\n')}`)
    }
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}
