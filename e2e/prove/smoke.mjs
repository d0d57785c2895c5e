// By hand: node e2e/prove/smoke.mjs [name[@version]…]
// One cold headless prompt for each installed agent, by the agent's own command, in its world: did the tool run without a
// question, did the answer come, did the model get no turn too many? Says nothing about Ion; it goes once the scenarios
// cover it.
import { execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startModel } from '../model/server.mjs'
import { cacheFolder } from './cache-folder.mjs'
import { installAgent } from './install.mjs'
import { agentNames, versionsToProve } from './pins.mjs'
import { sandboxed } from './sandbox.mjs'
import { worlds } from './worlds/index.mjs'

const PROMPT = 'SMOKE use a TOOL'
/** Agents that call no tools: one turn instead of two. */
const TALKERS = ['aider']
const DEADLINE_MS = 90_000

/** @type {Record<string, (prompt: string, folder: string) => string[]>} The prompt goes by stdin where the list is without it. */
const coldHeadless = {
  claude: (prompt) => ['-p', prompt, '--session-id', randomUUID()],
  goose: (prompt) => ['run', '--name', randomUUID(), '-t', prompt],
  codex: (prompt) => ['exec', '--json', prompt],
  gemini: (prompt) => ['-p', prompt, '-o', 'stream-json'],
  copilot: (prompt) => ['-p', prompt, '--session-id', randomUUID(), '-s'],
  opencode: () => ['run', '--format', 'json'],
  auggie: (prompt) => ['--print', prompt, '--output-format', 'json'],
  aider: (prompt, folder) => {
    writeFileSync(join(folder, 'task.txt'), prompt)
    return ['--chat-history-file', join(folder, 'chat.md'), '--message-file', join(folder, 'task.txt')]
  },
  amp: (prompt) => ['-x', prompt, '--stream-json'],
}

if (process.argv[2] === '--inside') await smokeAll(JSON.parse(readFileSync(process.argv[3] ?? '', 'utf8')))
else await outside(process.argv.slice(2))

/** Installs with the network, then starts itself again without it. @param {string[]} asked */
async function outside(asked) {
  const list = []
  for (const [name, version] of chosen(asked)) {
    const installed = await installAgent(name, { version, log: console.log })
    if ('unavailable' in installed) console.log(`${name} ${version}: ${installed.unavailable}`)
    else list.push({ name, ...installed })
  }
  const root = mkdtempSync(join(tmpdir(), 'ion-smoke-'))
  const order = join(root, 'order.json')
  writeFileSync(order, JSON.stringify({ root, list }))
  const { argv, isolated, why } = sandboxed([process.execPath, import.meta.filename, '--inside', order])
  if (!isolated) console.log(`not isolated from the network: ${why}`)
  const [program = '', ...args] = argv
  const child = spawn(program, args, { stdio: 'inherit' })
  child.once('exit', (code) => {
    if (process.env.SMOKE_KEEP) console.log(`kept ${root}`)
    else rmSync(root, { recursive: true, force: true })
    process.exitCode = code ?? 1
  })
}

/** @param {string[]} asked @returns {[string, string][]} */
function chosen(asked) {
  const names = asked.length ? asked : agentNames().filter((name) => coldHeadless[name])
  return names.flatMap((item) => {
    const [name = '', version] = item.split('@')
    const versions = version ? [version] : versionsToProve(name)
    return versions.map((one) => /** @type {[string, string]} */ ([name, one ?? '']))
  })
}

/** @param {{ root: string, list: { name: string, version: string, program: string }[] }} order */
async function smokeAll({ root, list }) {
  console.log(`cache ${cacheFolder()}`)
  for (const agent of list) await smoke(agent, join(root, `${agent.name}-${agent.version}`))
}

/** @param {{ name: string, version: string, program: string }} agent @param {string} root */
async function smoke({ name, version, program }, root) {
  const project = join(root, 'shop')
  mkdirSync(project, { recursive: true })
  writeFileSync(join(project, 'README.md'), '# shop\n')
  execFileSync('git', ['init', '-q', project])
  const model = await startModel({ logFile: join(root, 'requests.jsonl') })
  const modelUrl = `${model.url}/w-smoke`
  const world = worlds[name]?.({ root, modelUrl, program, project })
  const command = coldHeadless[name]
  if (!world || !command) throw new Error(`no world for ${name}`)
  const started = Date.now()
  const result = await run(program, [...command(PROMPT, root), ...world.args.headless], world.env, project)
  const turns = model.log.turns()
  const talker = TALKERS.includes(name)
  const answered = (talker ? /answer|tool/ : /tool said/).test(result.output)
  const results = model.log.lastHistory().flatMap((message) => message.results)
  const toolRan = talker || results.some(({ text }) => text.includes('tool-ran'))
  const good = result.code === 0 && answered && toolRan && turns.length === (talker ? 1 : 2)
  const seconds = ((Date.now() - started) / 1000).toFixed(1)
  const where = turns[0]?.world ? '' : ', path of the model was dropped'
  const extras = model.log.entries.filter((entry) => entry.kind === 'extra').map((entry) => entry.path)
  console.log(
    `${good ? 'ok  ' : 'FAIL'} ${name} ${version}: exit ${result.code}, ${turns.length} turns, ${seconds} s${where}`,
  )
  console.log(`     besides: ${[...new Set(extras)].join(' ') || 'nothing'}`)
  if (!good) {
    process.exitCode = 1
    console.log(result.output.slice(-3000))
  }
  await model.close()
}

/**
 * @param {string} program @param {string[]} args @param {Record<string, string>} env @param {string} cwd
 * @returns {Promise<{ code: number | null, output: string }>}
 */
function run(program, args, env, cwd) {
  return new Promise((resolve, reject) => {
    // A group of its own, so that a program that hangs is ended with its children.
    const child = spawn(program, args, { env, cwd, detached: true })
    const timer = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), DEADLINE_MS)
    let output = ''
    child.stdout.on('data', (piece) => (output += piece))
    child.stderr.on('data', (piece) => (output += piece))
    child.stdin.end(args.includes(PROMPT) ? '' : PROMPT)
    child.once('error', reject)
    child.once('close', (code) => {
      clearTimeout(timer)
      resolve({ code, output })
    })
  })
}
