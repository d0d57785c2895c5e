import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Agent } from '../../src/agents/agent.ts'
import { findAgent } from '../../src/agents/find.ts'
import { replaceFile } from '../../src/platform/atomic-file.ts'
import { listAll } from '../support/read-all.ts'
import { treeState } from '../support/scratch.ts'
import { installFake, ioOf, logins, playable, promptsOf } from './fake-agent.ts'
import { killHook, killPoints } from './kill-hook.ts'
import { type Machine, machine, type Outcome, runIon } from './run-ion.ts'

const TASK = 'Fix the refund test'
const NEXT = 'And now the docs'

interface Scene {
  readonly where: Machine
  readonly shop: string
  /** The id of the session that `ion run claude` made. */
  readonly id: string
  ion(...args: (string | Record<string, string>)[]): Promise<Outcome>
}

const claude = findAgent('claude')
const targets = playable.filter(({ writer }) => writer && !writer.isExperimental)

/** A session of Claude Code in a shop, and every other agent installed, which has been used there once. */
async function scene(...used: readonly Agent[]): Promise<Scene> {
  const where = machine()
  const PATH = installFake(where)
  const shop = join(where.home, 'shop')
  mkdirSync(shop)
  for (const agent of playable) {
    const trust = agent.start?.prepare?.trust?.({ cwd: shop, io: ioOf(where) })
    if (trust) replaceFile(trust.file, trust.content)
  }
  const ion: Scene['ion'] = (...args) =>
    runIon(
      where,
      args.filter((arg) => typeof arg === 'string'),
      { cwd: shop, env: Object.assign({ PATH, ...logins }, ...args.filter((arg) => typeof arg !== 'string')) },
    )
  const started = await ion('run', 'claude', '--headless', TASK)
  expect(started.code, started.err).toBe(0)
  for (const agent of used) await ion('run', agent.id, '--headless', 'before')
  const [{ id } = { id: '' }] = listAll(claude, ioOf(where, shop)).heads
  return { where, shop, id, ion }
}

interface Report {
  readonly act: string
  readonly mode: string
  readonly target: { readonly id: string; readonly native_id: string }
}

/** What was said in the session with this native id. */
function said({ where, shop }: Scene, agent: Agent, nativeId: string): string[] | undefined {
  return promptsOf(where, agent, shop)[nativeId]
}

describe.each(targets.map((agent) => [agent.id, agent] as const))('fake %s', (_, target) => {
  test('a session is handed over, nothing is sent, and the next prompt continues it', async () => {
    const here = await scene(target)
    const { ion, id } = here
    const dry = await ion('handover', id, '--in', target.id, '--as', 'native', '--dry-run')
    expect([dry.code, dry.out], dry.err).toEqual([0, expect.stringContaining('would write session')])
    const written = await ion('handover', id, '--in', target.id, '--as', 'native', '--json')
    expect(written.code, written.err).toBe(0)
    const report = JSON.parse(written.out) as Report
    expect(report).toMatchObject({ act: 'written', mode: 'native' })
    expect(said(here, target, report.target.native_id)).toEqual([TASK])
    const sent = await ion('--resume', report.target.id, '--headless', '--send', NEXT)
    expect(sent.code, sent.err).toBe(0)
    expect(said(here, target, report.target.native_id)).toEqual([TASK, NEXT])
    const undo = await ion('handover', 'undo', report.target.id)
    expect([undo.code, undo.err]).toEqual([4, expect.stringContaining('has used it')])
  })
})

test('resuming in another agent hands over and opens it there; the second time it only opens it', async () => {
  const codex = findAgent('codex')
  const here = await scene()
  const first = await here.ion('--resume', here.id, '--in', 'codex', '--as', 'native', '--headless', '--send', NEXT)
  expect(first.code, first.err).toBe(0)
  expect(first.err).toContain('wrote session')
  expect(Object.values(promptsOf(here.where, codex, here.shop))).toEqual([[TASK, NEXT]])
  const second = await here.ion('--resume', here.id, '--in', 'codex', '--as', 'native', '--headless', '--send', 'More')
  expect(second.code, second.err).toBe(0)
  expect(second.err).toContain('already handed over')
  expect(Object.values(promptsOf(here.where, codex, here.shop))).toEqual([[TASK, NEXT, 'More']])
  expect(Object.values(promptsOf(here.where, claude, here.shop))).toEqual([[TASK]])
  const rows = (await here.ion('sessions', '--json')).out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const [copy] = rows.filter(({ agent }) => agent === 'codex')
  expect(copy).toMatchObject({ forked_from: here.id, title: `${TASK} (from Claude Code)` })
  expect(rows.find(({ agent }) => agent === 'claude')).toMatchObject({ handed_over_to: [copy.id] })
})

test('an agent that accepts no session gets the brief with the prompt, and nothing without one', async () => {
  const amp = findAgent('amp')
  const here = await scene()
  const refused = await here.ion('--resume', here.id, '--in', 'amp', '--headless')
  expect([refused.code, refused.out, refused.err]).toEqual([4, '', expect.stringContaining('--send "what to do next"')])
  expect(promptsOf(here.where, amp, here.shop)).toEqual({})
  const printed = await here.ion('handover', here.id, '--in', 'amp')
  expect([printed.code, printed.out]).toEqual([0, expect.stringContaining(`## Goal\n${TASK}`)])
  const sent = await here.ion('--resume', here.id, '--in', 'amp', '--headless', '--send', NEXT)
  expect(sent.code, sent.err).toBe(0)
  const [[prompt] = []] = Object.values(promptsOf(here.where, amp, here.shop))
  expect(prompt).toContain(`## Goal\n${TASK}`)
  expect(prompt).toContain(`## What to do now\n${NEXT}`)
})

test('a fork up to a turn; the source stays as it is', async () => {
  const here = await scene()
  await here.ion('--resume', here.id, '--headless', '--send', NEXT)
  const before = treeState(join(here.where.home, '.claude'))
  const forked = await here.ion('fork', here.id, '--at', '1', '--json')
  expect(forked.code, forked.err).toBe(0)
  const { target } = JSON.parse(forked.out) as Report
  expect(said(here, claude, target.native_id)).toEqual([TASK])
  expect(said(here, claude, here.id)).toEqual([TASK, NEXT])
  const after = treeState(join(here.where.home, '.claude'))
  expect(Object.entries(after).filter(([path]) => path in before)).toEqual(Object.entries(before))
})

test('wrong input is an error that says what to type, and nothing is written', async () => {
  const here = await scene()
  rmSync(join(here.where.root, 'bin', 'goose'))
  const before = [treeState(here.where.home), readFileSync(join(here.where.ionHome, 'index.jsonl'), 'utf8')]
  const cases: [args: string[], code: number, message: RegExp][] = [
    [['handover', here.id], 2, /which agent is to continue\?/],
    [['handover', here.id, '--in', 'nope'], 3, /nope/],
    [['handover', here.id, '--in', 'goose'], 5, /Goose is not installed/],
    [['handover', 'no-such', '--in', 'codex'], 3, /no-such/],
    [['handover', here.id, '--in', 'codex', '--budget', 'lots'], 2, /--budget takes a number of tokens/],
    [['handover', here.id, '--in', 'codex', '--since', '7'], 3, /no turn 7: it has 1/],
    [['handover', here.id, '--in', 'codex', '--since', '0'], 2, /numbered from 1/],
    [['handover', here.id, '--in', 'amp', '--as', 'native'], 4, /accepts no session/],
    [['handover', here.id, 'extra', '--in', 'codex'], 2, /one argument too many/],
    [['handover', 'undo'], 2, /which handover/],
    [['handover', 'undo', here.id], 3, /no handover of/],
    [['--resume', here.id, '--as', 'brief'], 2, /--as needs --in/],
    [['fork', here.id, '--at', '9'], 3, /no turn 9/],
  ]
  for (const [args, code, message] of cases) {
    const { code: got, out, err } = await here.ion(...args)
    expect([args, got, out, err]).toEqual([args, code, '', expect.stringMatching(message)])
    expect(err).toMatch(/ {2}-> /)
  }
  expect([treeState(here.where.home), readFileSync(join(here.where.ionHome, 'index.jsonl'), 'utf8')]).toEqual(before)
})

/** One with a file, one with rows of a database, one with several files; with ION_KILLS=all every one. */
const killed = targets.filter(({ id }) => process.env.ION_KILLS === 'all' || ['codex', 'goose', 'copilot'].includes(id))
describe.each(killed.map((agent) => [agent.id, agent] as const))('fake %s', (_, target) => {
  test('a handover that is killed at any of its operations leaves nothing or all, and the next one completes it', {
    tags: ['deep'],
  }, async () => {
    const here = await scene(target)
    const { where, shop, ion } = here
    const [hook, operations] = [join(where.root, 'kill-hook.cjs'), join(where.root, 'operations.json')]
    writeFileSync(hook, killHook)
    const before = promptsOf(where, target, shop)
    const saved = join(where.root, 'saved')
    const stores = [where.home, where.ionHome]
    for (const [index, store] of stores.entries()) cpSync(store, `${saved}-${index}`, { recursive: true })
    const reset = (): void => {
      for (const [index, store] of stores.entries()) {
        rmSync(store, { recursive: true })
        cpSync(`${saved}-${index}`, store, { recursive: true })
      }
    }
    const command = ['handover', here.id, '--in', target.id, '--as', 'native', '--json'] as const
    const env = { NODE_OPTIONS: `-r ${hook}`, ION_TEST_DATABASES: '1' }
    const counted = await ion(...command, { ...env, ION_TEST_OPERATIONS: operations })
    expect(counted.code, counted.err).toBe(0)
    const names = JSON.parse(readFileSync(operations, 'utf8')) as string[]
    expect(names.length).toBeGreaterThan(5)
    for (const at of killPoints(names.length)) {
      reset()
      await ion(...command, { ...env, ION_TEST_KILL_AT: String(at) })
      const left = Object.entries(promptsOf(where, target, shop)).filter(([id]) => !(id in before))
      expect(left.map(([, prompts]) => prompts)).toEqual(left.length === 0 ? [] : [[TASK]])
      const again = await ion(...command)
      expect([at, names[at - 1], again.code, again.err]).toEqual([at, names[at - 1], 0, ''])
      const done = Object.entries(promptsOf(where, target, shop)).filter(([id]) => !(id in before))
      expect(done.map(([, prompts]) => prompts)).toEqual([[TASK]])
      expect((await ion('handover', 'undo', here.id)).code).toBe(0)
      expect(promptsOf(where, target, shop)).toEqual(before)
    }
  })
})
