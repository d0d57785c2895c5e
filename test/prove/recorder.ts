// The inside of `npm run record`.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startModel } from '../model/server.ts'
import { refused } from './checks.ts'
import { insideTask } from './inside.ts'
import { familyOf, killAll } from './processes.ts'
import { copyScrubbed, type ScrubbedFile } from './scrub.ts'
import { Terminal } from './terminal.ts'
import { until } from './until.ts'
import { loadWorld } from './world.ts'

export interface RecordTask {
  agent: string
  program: string
  ion: string
  /** As long as `/home/dev`. */
  home: string
  target: string
}

export interface Recording {
  files: ScrubbedFile[]
  skipped: string[]
}

const { task, finish } = insideTask<RecordTask>()
const { agent, program, home } = task
const root = `${home}.root`
const project = join(home, 'shop')
mkdirSync(root, { mode: 0o700 })
mkdirSync(project)
writeFileSync(join(project, 'README.md'), '# shop\n')
execFileSync('git', ['init', '-q', project], { env: { PATH: process.env.PATH, HOME: root } })
const model = await startModel()
const { default: makeWorld, commands } = await loadWorld(agent)
const world = makeWorld({ root, home, modelUrl: `${model.url}/w-record`, program, project })
const env = { ...world.env, ION_HOME: join(root, 'ion') }

await play('tool call', run('tool', 'TOOL look at the shop'))
await play('second prompt', resume('tool', 'SECOND thing'))
await play('thinking', run('think', 'THINK about the shop'))
await play('failure', run('fail', 'FAIL please'))
await play('killed in the answer', run('kill', 'HANG in the answer'), { kill: true })
model.script = [{ when: 'HANG', say: 'recovered' }]
await play('resumed after the kill', resume('kill', 'After the kill'))
await playTerminal('Hello from a terminal')
await model.close()
for (const entry of model.log.rejections()) console.log(refused(entry))
finish(copyScrubbed({ home, target: task.target, exclude: [...world.files, project], program }))

/** A new session: with the agent's own arguments, or through Ion when world.ts has none. */
function run(session: string, prompt: string): string[] {
  const args = world.args.headless
  if (commands) return [program, ...args, ...commands.run(prompt)]
  return ionRun('--headless', '--task', session, prompt, ...(args.length ? ['--', ...args] : []))
}

function resume(session: string, prompt: string): string[] {
  if (commands) return [program, ...world.args.headless, ...commands.resume(prompt)]
  return ionRun('--headless', '--task', session, '--send', prompt)
}

function ionRun(...args: string[]): string[] {
  return [process.execPath, task.ion, 'run', agent, ...args]
}

async function play(name: string, argv: readonly string[], { kill = false } = {}): Promise<void> {
  const before = model.log.turns().length
  const [file = '', ...args] = argv
  const child = spawn(file, args, { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  }
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const timer = setTimeout(() => killAll(familyOf(child.pid ?? 0)), 120_000)
  if (kill) {
    await until('the turn', 60_000, () => model.log.turns().length > before || child.exitCode !== null)
    await new Promise((resolve) => setTimeout(resolve, 1000))
    killAll(familyOf(child.pid ?? 0))
  }
  const code = await exit
  clearTimeout(timer)
  const turns = model.log.turns().length - before
  console.log(`${name}: exit code ${code}, ${turns} requests to the model`)
  if (turns === 0) console.log(output.trim().split('\n').slice(-8).join('\n').replace(/^/gm, '     '))
}

async function playTerminal(prompt: string): Promise<void> {
  const argv = commands
    ? [program, ...world.args.terminal, ...commands.terminal]
    : ionRun('--task', 'terminal', ...(world.args.terminal.length ? ['--', ...world.args.terminal] : []))
  const terminal = new Terminal(argv, { cwd: project, env })
  const sent = (): boolean => model.log.promptCount(prompt) > 0
  try {
    await terminal.ready()
    await terminal.say(prompt, sent)
    await until('the answer', 20_000, () => terminal.text().includes('answer'))
    await terminal.ready()
  } catch (error) {
    console.log(`     ${(error as Error).message}`)
  }
  await terminal.end()
  console.log(`terminal: the prompt was ${sent() ? 'sent' : 'NOT sent'}`)
}
