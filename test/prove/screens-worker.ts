// The inside of `npm run record-screens`.
import { findAgent } from '../../src/agents/find.ts'
import { readScreen } from '../../src/host/activity.ts'
import { screenRows } from '../../src/host/screen-rows.ts'
import { Checks } from './checks.ts'
import { insideTask } from './inside.ts'
import { Scene, type Subject } from './scene.ts'
import type { Terminal } from './terminal.ts'
import { until } from './until.ts'
import { loadWorld, type ScreenStep } from './world.ts'

export interface ScreensTask {
  root: string
  subject: Subject
  ion: string
  /** The agent's own arguments: those with which its tools ask. */
  args: readonly string[]
  env: Record<string, string>
}

export interface RecordedScreen {
  name: string
  rows: string[]
  /** Rows that have faint or grey text, without it, by their number. */
  vivid: Record<string, string>
  /** Colours of rows that have one, by their number. */
  colours: Record<string, string>
  /** By their number too: colours of their backgrounds, and what is highlighted. */
  backgrounds?: Record<string, string>
  highlighted?: Record<string, string>
}

type RecordingStep = [name: string, act: () => Promise<void>]

const { task, finish } = insideTask<ScreensTask>()
const { root, subject, ion } = task
const checks = new Checks()
const scene = await Scene.make({ root, subject, ion, checks })
Object.assign(scene.env, task.env)
const { model } = scene
const recorded: RecordedScreen[] = []
const { start: adapter } = findAgent(subject.agent)
const interrupt = adapter?.interrupt ?? '\x1b'
const { screens = [] } = await loadWorld(subject.agent)
model.script = [
  { when: 'ASKSHELL', call: { shell: 'touch made-by-agent.txt' } },
  { when: 'ASKNET', call: { shell: 'curl -s http://127.0.0.1:9/secret | sh && rm -rf build' } },
  ...screens.map((step, at) => ({ ...step, when: prompt(at) })),
]
const terminal = scene.terminal([
  'run',
  subject.agent,
  '--task',
  'screens',
  ...(task.args.length ? ['--', ...task.args] : []),
])
const steps: RecordingStep[] = [
  ['start', untilInput],
  ['input', async () => {}],
  ['typed', () => type('half a message')],
  [
    'pasted',
    async () => {
      await clear()
      await paste('first line\nsecond line with more words\nthird line')
    },
  ],
  ['cleared', clear],
  ['long', () => type('a message that is much longer than one row of the terminal, '.repeat(4))],
  ['cleared-long', clear],
  ['slash', () => type('/')],
  ['cleared-slash', clear],
  ['answered', () => say('hello there')],
  ['question-shell', () => say('ASKSHELL please')],
  ['question-down', () => press('\x1b[B')],
  ['denied', () => press(typedChoice(/^No\b/) ?? '\x1b')],
  ['question-net', () => say('ASKNET please')],
  [
    'accepted',
    async () => {
      // Some ask more than one question about a command.
      for (let round = 0; round < 4 && isAsking(); round++) await press('\r')
    },
  ],
  [
    'working',
    async () => {
      await say('HANG in the answer')
    },
  ],
  ['typed-working', () => type('typed while working')],
  ['interrupted', () => press(interrupt)],
  ['cleared-interrupted', clear],
  ['writing', () => sayUntil('WRITE an answer', /first paragraph[\s\S]*second point/)],
  ['written', () => still(2000)],
  ['writing-long', () => sayUntil('LENGTHY please', /Paragraph 30 /)],
  ['written-long', () => still(2000)],
  ...screens.map((step, at): RecordingStep => [step.name ?? '', () => take(step, at)]),
]
for (const [name, step] of steps) {
  try {
    await step()
  } catch (error) {
    console.log(`${name}: ${(error as Error).message.split('\n')[0]}`)
  }
  if (name !== '') record(name, terminal)
  if (terminal.exitCode !== undefined) {
    console.log(`the agent ended after ${name}`)
    break
  }
}
await scene.close()
for (const line of checks.unreported()) console.log(line)
finish(recorded)

function record(name: string, { screen }: Terminal): void {
  const rows = screenRows(screen)
  const clean = (text: string): string => text.replaceAll(scene.world.home, '/home/dev').replaceAll(root, '/home/dev')
  const vivid = rows.flatMap((row, index) => (row.text === row.vivid ? [] : [[String(index), clean(row.vivid)]]))
  const colours = rows.flatMap(({ colour }, index) => (colour === undefined ? [] : [[String(index), colour]]))
  const backgrounds = rows.flatMap(({ background }, at) => (background === undefined ? [] : [[String(at), background]]))
  const marked = rows.flatMap(({ highlighted }, index) => (highlighted ? [[String(index), clean(highlighted)]] : []))
  recorded.push({
    name,
    rows: rows.map(({ text }) => clean(text)),
    vivid: Object.fromEntries(vivid),
    colours: Object.fromEntries(colours),
    ...(backgrounds.length ? { backgrounds: Object.fromEntries(backgrounds) } : {}),
    ...(marked.length ? { highlighted: Object.fromEntries(marked) } : {}),
  })
}

/** What is typed for an answer of the model in the agent's own steps. */
function prompt(at: number): string {
  return `CALL ${at}.`
}

async function take({ keys = [], columns, ...step }: ScreenStep, at: number): Promise<void> {
  if (step.say !== undefined || step.call || step.hang) await say(prompt(at))
  for (const key of keys) await press(key)
  if (columns === undefined) return
  terminal.screen.resize(columns, terminal.screen.rows)
  terminal.process.resize(columns, terminal.screen.rows)
  await still()
}

function isAsking(): boolean {
  return readScreen(screenRows(terminal.screen), adapter ?? {}).question !== null
}

/** Waits for the agent to react and for its screen to be quiet; an agent that works never is. */
async function still(ms = 1200): Promise<void> {
  const began = Date.now()
  const end = began + 7000
  await until('a reaction', 3000, () => terminal.lastOutput > began).catch(() => {})
  await until('a quiet screen', 8000, () => Date.now() - terminal.lastOutput > ms || Date.now() > end)
}

/** Until its input box is shown, where that is known; elsewhere until it is quiet, which some are while they load. */
async function untilInput(): Promise<void> {
  await terminal.ready()
  if (!adapter?.readInput) return
  await until('its input box', 30_000, () => adapter.readInput?.(screenRows(terminal.screen)) !== undefined)
  await still()
}

/** What to type for a choice of the question on the screen, where its choices are typed. */
function typedChoice(label: RegExp): string | undefined {
  const { question } = readScreen(screenRows(terminal.screen), adapter ?? {})
  return question?.typed?.[question.choices.findIndex((choice) => label.test(choice))]
}

/** Types until it is shown: keys pressed before the agent listens are lost. */
async function type(text: string): Promise<void> {
  const count = (): number => terminal.text().split(text.slice(0, 8)).length
  const before = count()
  const shown = (): boolean => count() > before
  for (let round = 0; round < 5 && !shown(); round++) {
    terminal.process.write(text)
    await until('the text to be shown', 4000, shown).catch(() => {})
  }
  await still()
}

async function paste(text: string): Promise<void> {
  terminal.process.write(`\x1b[200~${text}\x1b[201~`)
  await still()
}

async function press(key: string): Promise<void> {
  terminal.process.write(key)
  await still(2000)
}

/** One key at a time: several at once are a paste for some. */
async function clear(): Promise<void> {
  for (let round = 0; round < 8; round++) {
    for (const key of ['\x05', '\x15', '\x7f']) {
      terminal.process.write(key)
      await new Promise((resolve) => setTimeout(resolve, 60))
    }
  }
  await still()
}

/** Until this part of the answer is shown. */
async function sayUntil(text: string, part: RegExp): Promise<void> {
  await type(text)
  terminal.process.write('\r')
  await until('a part of the answer', 20_000, () => part.test(terminal.text()))
}

async function say(text: string): Promise<void> {
  const before = model.log.turns().length
  await type(text)
  terminal.process.write('\r')
  await until('the turn', 20_000, () => model.log.turns().length > before)
  await still(2000)
}
