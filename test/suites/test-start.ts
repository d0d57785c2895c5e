import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { Agent } from '../../src/agents/agent.ts'
import type { SessionHead } from '../../src/events/session.ts'
import type { Io } from '../../src/platform/io.ts'
import type { Decision } from '../../src/run/decide.ts'
import { expectedDialogs } from '../../src/run/facts.ts'
import type { RunMode, StartKind } from '../../src/run/ledger.ts'
import { type ComposedPlan, composePlan } from '../../src/run/plan.ts'
import { SessionLookup } from '../../src/run/session-lookup.ts'
import { play } from '../fake-agent/play.ts'
import { scratchIo } from '../support/scratch.ts'

export interface StartExpectations {
  /** A native id in the agent's form. */
  readonly session: string
  /** The user's own arguments, such as a model. */
  readonly args: readonly string[]
  /** What the real program does when the session to resume does not exist. Default: it refuses. */
  readonly unknown?: 'new'
  /** Why the fake agent cannot be played here. */
  readonly unplayable?: string
}

const RUN = '11111111-1111-4111-8111-111111111111'
const FRESH = '22222222-2222-4222-8222-222222222222'
const TASK = 'Fix the "refund" test\nand say why, in two words: déjà vu'
const DASHES = '--help me with -x'
const LONG = `${'All work and no play. '.repeat(9000)}The end.`

/**
 * The suite of every agent that can be started: its plans are golden, they follow the rules, and Ion finds the session of
 * the fake agent that they start. Called from `start.test.ts`; the plans are in `plans.golden.txt` beside it.
 */
export function testStart(agent: Agent, folderUrl: URL, expected: StartExpectations): void {
  const cases: readonly Case[] = [
    { name: 'cold, in a terminal', decision: 'cold', way: 'terminal', prompt: TASK },
    { name: 'cold, in a terminal, nothing to send', decision: 'cold', way: 'terminal' },
    {
      name: 'cold, in a terminal, a prompt that begins with dashes',
      decision: 'cold',
      way: 'terminal',
      prompt: DASHES,
    },
    { name: 'cold, in a terminal, 200 KB', decision: 'cold', way: 'terminal', prompt: LONG },
    { name: 'cold, in a terminal, arguments of the user', decision: 'cold', way: 'terminal', prompt: TASK, args: true },
    { name: 'cold, without a terminal', decision: 'cold', way: 'headless', prompt: TASK },
    {
      name: 'cold, without a terminal, a prompt that begins with dashes',
      decision: 'cold',
      way: 'headless',
      prompt: DASHES,
    },
    {
      name: 'cold, without a terminal, arguments of the user',
      decision: 'cold',
      way: 'headless',
      prompt: TASK,
      args: true,
    },
    { name: 'warm, in a terminal', decision: 'warm', way: 'terminal' },
    { name: 'warm, in a terminal, arguments of the user', decision: 'warm', way: 'terminal', args: true },
    { name: 'warm + prompt, in a terminal', decision: 'warm', way: 'terminal', prompt: TASK },
    { name: 'warm + prompt, without a terminal', decision: 'warm', way: 'headless', prompt: TASK },
    {
      name: 'warm + prompt, without a terminal, arguments of the user',
      decision: 'warm',
      way: 'headless',
      prompt: DASHES,
      args: true,
    },
  ]

  describe(`${agent.id}: start`, () => {
    test('the plans are those of plans.golden.txt', async () => {
      const text = cases.map((one) => rendered(one, planOf(agent, one, expected))).join('\n')
      await expect(text).toMatchFileSnapshot(join(fileURLToPath(folderUrl), 'plans.golden.txt'))
    })

    test.each(cases)('$name: follows the rules', (one) => {
      const { plan } = planOf(agent, one, expected).composed
      const [, ...args] = plan.argv
      const text = args.join('\0')
      // Never "the latest", never permission that the user did not give, never a shell.
      expect(args).not.toContain('--continue')
      expect(text).not.toMatch(/latest|--last\b|dangerously|--yolo|--trust-all|bypass|--allow-all|--yes-always/)
      expect(Object.keys(plan.env.added).filter((name) => /SANDBOX|TRUST|ALLOW_ALL|YOLO/.test(name))).toEqual([])
      expect(args.every((word) => Buffer.byteLength(word) < 128 * 1024)).toBe(true)
      if (one.args) for (const word of expected.args) expect(args).toContain(word)
      const place = args.indexOf(DASHES)
      if (place >= 0) expect(args.slice(0, place)).toContain('--')
      if (one.prompt === undefined) expect([plan.stdin === 'prompt', plan.prompt]).toEqual([false, { action: 'skip' }])
    })

    const hasFake = existsSync(new URL('test/fake.ts', folderUrl))
    test.skipIf(!hasFake || expected.unplayable !== undefined)(
      'the fake agent accepts the plans, and Ion finds its session',
      () => playThrough(agent, expected),
    )
  })
}

interface Case {
  readonly name: string
  readonly decision: StartKind
  readonly way: RunMode
  readonly prompt?: string
  readonly args?: boolean
}

interface Planned {
  readonly composed: ComposedPlan
  readonly io: Io
}

function planOf(agent: Agent, one: Case, expected: StartExpectations, io: Io = shopIo()): Planned {
  const ids = [RUN, FRESH]
  const args = one.args ? expected.args : []
  const composed = composePlan(decisionOf(agent, one, expected.session, io), {
    agent,
    task: {
      name: 'main',
      project: io.cwd,
      folder: join(io.env.ION_HOME!, 'tasks', '0123456789abcdef', `${agent.id}-main`),
    },
    mode: one.way,
    program: { path: `/usr/bin/${agent.binaries[0]}`, version: agent.start!.newest },
    args,
    io,
    agentapi: undefined,
    dialogs: one.way === 'headless' ? [] : expectedDialogs(agent, { cwd: io.cwd, io, args }),
    fresh: () => ids.shift() ?? FRESH,
  })
  return { composed, io }
}

function shopIo(): Io {
  const io = scratchIo()
  const cwd = join(io.home, 'shop')
  mkdirSync(cwd)
  return { ...io, cwd }
}

function decisionOf(agent: Agent, one: Case, session: string, { cwd }: Io): Decision & { decision: StartKind } {
  const common = { reason: 'as the test says', cwd, prompt: one.prompt, notes: [] }
  if (one.decision === 'cold') return { decision: 'cold', ...common }
  const head = { agent: agent.id, native_id: session, path: '/store', cwd, resumable: true } as unknown as SessionHead
  return { decision: 'warm', ...common, session: { head, files: ['/store'] } }
}

/** A plan as a person reads it; the scratch folder is /home/dev. */
function rendered({ name }: Case, { composed, io }: Planned): string {
  const { plan, command } = composed
  const lines = [
    `# ${name}`,
    ...plan.argv.map(
      (word, index) => `${index === 0 ? '$ ' : '    '}${index === 0 ? word : JSON.stringify(short(word))}`,
    ),
    `  stdin ${plan.stdin}, output ${plan.output}`,
    ...Object.entries(plan.env.added)
      .filter(([key]) => key !== 'ION_RUN')
      .map(([key, value]) => `  sets ${key}=${value}`),
    ...Object.entries(command.env ?? {})
      .filter(([, value]) => value === undefined)
      .map(([key]) => `  removes ${key}`),
    ...(command.files ?? []).map(({ path, content }) => `  writes ${path}: ${short(content.replace(/\s+/g, ' '))}`),
    ...plan.notes.map((note) => `  says ${note}`),
    ...plan.dialogs.map(({ id, asks }) => `  dialog ${id}: ${asks}`),
    '',
  ]
  return lines.join('\n').replaceAll(io.home, '/home/dev').replaceAll(io.env.ION_HOME!, '/home/dev/.ion')
}

function short(word: string): string {
  return word.length > 300 ? `${word.slice(0, 40)}… (${word.length} characters)` : word
}

/** Cold, then warm with a prompt; Ion must find the session and both prompts. */
async function playThrough(agent: Agent, expected: StartExpectations): Promise<void> {
  const io = shopIo()
  const cold: Case = { name: '', decision: 'cold', way: 'headless', prompt: TASK }
  const { composed } = planOf(agent, cold, expected, io)
  const printed = await played(agent, composed, TASK, io)
  const store = new SessionLookup(agent, io, '/none')
  const made = store.findNew({
    session: composed.request.session,
    sessionId: composed.command.sessionId,
    cwd: io.cwd,
    since: new Date(0),
    prompt: TASK,
    not: new Set(),
  })
  expect(made?.head).toMatchObject({ agent: agent.id, cwd: io.cwd, resumable: true })
  const native = made!.head.native_id
  if (agent.start!.sessionId === 'assigned') expect(native).toBe(FRESH)
  expect(printed).toContain('I have done it')
  const next: Case = { name: '', decision: 'warm', way: 'headless', prompt: DASHES }
  const warm = planOf(agent, next, { ...expected, session: native }, io).composed
  await played(agent, warm, DASHES, io)
  const found = store.find(native, made!.files)!
  expect([store.countPrompt(found.head, TASK, 9), store.countPrompt(found.head, DASHES, 9)]).toEqual([1, 1])
  const missing = planOf(agent, next, expected, shopIo())
  const unknown = played(agent, missing.composed, DASHES, missing.io)
  if (expected.unknown === 'new') expect(await unknown).toContain('I have done it')
  else await expect(unknown).rejects.toThrow(/^exit [1-9]/)
}

/** Plays what a plan starts; returns what the user would see. */
async function played(agent: Agent, { plan, command }: ComposedPlan, prompt: string, io: Io): Promise<string> {
  const put = (path: string, content: string): void => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }
  for (const file of command.files ?? []) put(file.path, file.content)
  if (plan.prompt.action !== 'skip') put(plan.prompt.file, prompt)
  let out = ''
  let complaint = ''
  const env = { ...io.env, ...plan.env.added }
  const stage = {
    print: (text: string) => void (out += text),
    complain: (text: string) => void (complaint += text),
    input: process.stdin,
  }
  const code = await play(agent.id, plan.argv.slice(1), { ...io, env, cwd: plan.cwd }, stage, prompt)
  if (code !== 0) throw new Error(`exit ${code}: ${complaint}`)
  if (plan.output !== 'lines') return out
  const reported = out.split('\n').map((line) => agent.start!.parseOutputLine?.(line))
  return reported.map((one) => one?.text ?? '').join('')
}
