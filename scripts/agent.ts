// Everything that concerns one agent: npm run agent <id> [-- --no-proof]. Ends with a list of what is missing.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { agentsWith } from './agent-folders.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

const HELP = `npm run agent <id> [-- --no-proof]

Formats and checks src/agents/<id>, runs its tests and those of every agent, the kill matrix, samples, documents and the
proof on the real agent, and ends with a list of what is missing.

  --no-proof   do not run the real agent
  -h, --help   show this help`

/** What the folder has when it is complete, and what each file is for. */
const FILES: Readonly<Record<string, string>> = {
  'index.ts': 'what is known about the agent',
  'paths.ts': 'where its data is',
  'start.ts': 'cold and warm commands',
  'backup.ts': "what is one session's own in the store",
  'agent.test.ts': 'the conformance suite',
  'start.test.ts': 'the suite of starts',
  'README.md': 'the facts',
  'test/world.ts': 'the home in which the proof runs it',
  'test/fake.ts': 'how the fake agent plays it',
  'test/pin.json': 'the versions that are proven',
  'test/sample.ts': 'its part of the demo',
}

/** Suites that run for every agent; their tests have its id in the title. */
const EVERY_AGENT = [
  'src/archive/archive.test.ts',
  'src/archive/prune/prune.test.ts',
  'src/archive/watch/growing-log.test.ts',
  'src/vault',
  'src/export/canonical.test.ts',
  'src/cli/commands/demo/samples.test.ts',
  'test/prove/world.test.ts',
  'test/e2e/kill-matrix.test.ts',
]

/** Suites about all agents together. */
const TOGETHER = ['src/library', 'src/cli/commands/status.test.ts', 'test/repository', 'test/prove/pins.test.ts']

interface Step {
  name: string
  /** What is wrong; nothing when all is well. */
  run: () => Promise<string>
  /** What to do about it. */
  hint: string
}

const { values, positionals } = readArguments()
const [id = ''] = positionals
if (values.help) console.log(HELP)
else if (positionals.length !== 1 || !existsSync(`${root}src/agents/${id}`)) {
  const known = agentsWith('index.ts').map((agent) => agent.id)
  console.error(
    `agent: name one agent: ${known.join(', ')}\n  -> npm run new-agent ${id || '<id>'} -- --store lines|json|sqlite`,
  )
  process.exitCode = 2
} else process.exitCode = await check(`src/agents/${id}`)

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        'no-proof': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
  } catch (error) {
    console.error(`agent: ${(error as Error).message}\n  -> npm run agent -- --help`)
    process.exit(2)
  }
}

async function check(folder: string): Promise<number> {
  const missing = missingFiles(folder)
  for (const step of stepsOf(folder)) {
    const begin = Date.now()
    const wrong = await step.run()
    console.log(
      `${wrong ? 'FAIL' : 'ok  '}  ${step.name.padEnd(14)} ${((Date.now() - begin) / 1000).toFixed(0).padStart(4)} s`,
    )
    if (!wrong) continue
    console.log(lastLines(wrong, 40).replace(/^/gm, '      '))
    missing.push(`${step.name}: ${step.hint}`)
  }
  if (missing.length === 0) {
    console.log(`\n${id}: nothing is missing`)
    return 0
  }
  console.log(`\n${id}: still missing`)
  for (const line of missing) console.log(`  - ${line}`)
  return 1
}

function missingFiles(folder: string): string[] {
  const files = Object.entries(FILES)
    .filter(([name]) => !existsSync(`${root}${folder}/${name}`))
    // An agent that cannot be installed here is not run.
    .filter(([name]) => name !== 'test/world.ts' || isInstallable(folder))
    .map(([name, what]) => `${folder}/${name}: ${what}`)
  if (recordedFixtures(folder).length > 0 || !isInstallable(folder)) return files
  return [...files, `fixtures of the real agent: npm run record ${id}`]
}

function isInstallable(folder: string): boolean {
  const pin = `${root}${folder}/test/pin.json`
  return existsSync(pin) && !('unavailable' in JSON.parse(readFileSync(pin, 'utf8')))
}

function recordedFixtures(folder: string): string[] {
  const fixtures = `${root}${folder}/fixtures`
  return existsSync(fixtures) ? readdirSync(fixtures).filter((name) => !name.startsWith('handmade')) : []
}

function stepsOf(folder: string): Step[] {
  const vitest = (...args: string[]) => run('node_modules/.bin/vitest', 'run', '--reporter=dot', ...args)
  // Of a title such as "claude 2.1.325: …" or "claude: …", but not of another agent whose id it begins.
  const title = `(^|[ ])${id}([ :,]|$)`
  const proof: Step = {
    name: 'proof',
    run: () => run('npm', 'run', '--silent', 'prove', '--', id),
    hint: `npm run prove -- ${id} --story <name> --keep`,
  }
  return [
    {
      name: 'format',
      run: () => run('node_modules/.bin/biome', 'check', '--write', '--error-on-warnings', folder),
      hint: `npx biome check ${folder}`,
    },
    { name: 'types', run: () => run('node_modules/.bin/tsc', '-p', '.'), hint: 'npx tsc -p .' },
    {
      name: 'generated',
      run: () => run('npm', 'run', '--silent', 'generate', '--', '--check'),
      hint: 'npm run generate',
    },
    {
      name: 'samples',
      run: async () => (existsSync(`${root}samples/${id}`) ? '' : `samples/${id} does not exist`),
      hint: 'npm run samples',
    },
    { name: 'its tests', run: () => vitest(folder), hint: `npx vitest run ${folder}` },
    {
      name: 'every agent',
      run: () => vitest(...EVERY_AGENT, '-t', title),
      hint: `npx vitest run ${EVERY_AGENT.join(' ')} -t '${title}'`,
    },
    { name: 'all together', run: () => vitest(...TOGETHER), hint: `npx vitest run ${TOGETHER.join(' ')}` },
    ...(values['no-proof'] || !isInstallable(folder) ? [] : [proof]),
  ]
}

/** What a program printed, if it failed. */
function run(file: string, ...args: string[]): Promise<string> {
  return new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: '1' }
    const child = spawn(file, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (part: string) => (text += part))
    }
    child.on('error', (error) => resolve(`${file}: ${error.message}`))
    child.on('close', (code) => resolve(code === 0 ? '' : text || `${file} exited with ${code}`))
  })
}

function lastLines(text: string, count: number): string {
  return text.trimEnd().split('\n').slice(-count).join('\n')
}
