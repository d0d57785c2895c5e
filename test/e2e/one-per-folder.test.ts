import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { until } from '../support/wait-until.ts'
import { installFake, playable, promptsOf } from './fake-agent.ts'
import { killHook, killPoints } from './kill-hook.ts'
import { listed, type Machine, machine, runIon } from './run-ion.ts'

/** Agents that have one session per folder: what another start or a restore puts aside can be restored, exactly. */

const TASK = 'Fix the refund test'
const BY_HAND = 'Explain the tax code'

interface Scene {
  readonly where: Machine
  ion(args: readonly string[], env?: Record<string, string>): ReturnType<typeof runIon>
  /** Another Ion home: this one does not know the session, as if the user had started the agent by hand. */
  byHand(...args: string[]): ReturnType<typeof runIon>
}

function scene(): Scene {
  const where = machine()
  const PATH = installFake(where)
  const other = { ...where, ionHome: join(where.root, 'other-ion') }
  return {
    where,
    ion: (args, env = {}) => runIon(where, args, { env: { PATH, ...env } }),
    byHand: (...args) => runIon(other, args, { env: { PATH } }),
  }
}

async function idOf(where: Machine, title: string): Promise<string> {
  return String((await listed(where)).find((row) => row.title === title)?.id)
}

const some = playable.filter((agent) => agent.onePerFolder)

describe.each(some.map((agent) => [agent.id, agent] as const))('fake %s', (id, agent) => {
  test('a conversation by hand that a start replaces is listed, shown and restored', async () => {
    const { where, ion, byHand } = scene()
    await byHand('run', id, '--headless', BY_HAND)
    const started = await ion(['run', id, '--headless', TASK])
    const hand = await idOf(where, BY_HAND)
    expect([started.code, started.err]).toEqual([
      0,
      expect.stringContaining(
        `session ${hand} (${BY_HAND}) is replaced by this start; it is archived: ion restore ${hand}`,
      ),
    ])
    expect(Object.values(promptsOf(where, agent))).toEqual([[TASK]])
    expect((await ion(['show', hand])).out).toContain(`I have done it: ${BY_HAND}`)

    const refused = await ion(['restore', hand])
    const task = await idOf(where, TASK)
    expect([refused.code, refused.err]).toEqual([
      4,
      expect.stringMatching(new RegExp(`one session per folder, and .* has session ${task} .*\n.*--replace`)),
    ])
    const restored = await ion(['restore', hand, '--replace'])
    expect([restored.code, restored.out]).toEqual([
      0,
      expect.stringContaining(`archived session ${task} (${TASK}), which was in its place`),
    ])
    expect(Object.values(promptsOf(where, agent))).toEqual([[BY_HAND]])
  })

  test('run --restore swaps the conversations of a folder, and says what it replaced', async () => {
    const { where, ion, byHand } = scene()
    await ion(['run', id, '--headless', TASK])
    await byHand('run', id, '--headless', BY_HAND)
    expect((await ion(['run', id, '--headless', TASK])).code).toBe(4)
    const swapped = await ion(['run', id, '--headless', '--restore', '--send', 'and the docs'])
    const hand = await idOf(where, BY_HAND)
    expect([swapped.code, swapped.out.trim(), swapped.err]).toEqual([
      0,
      'I have done it: and the docs',
      expect.stringMatching(
        new RegExp(`session ${hand} \\(${BY_HAND}\\) had its place; it is archived: ion restore ${hand} --replace`),
      ),
    ])
    expect(Object.values(promptsOf(where, agent))).toEqual([[TASK, 'and the docs']])
    await ion(['restore', hand, '--replace'])
    expect(Object.values(promptsOf(where, agent))).toEqual([[BY_HAND]])
  })

  test('two tasks in one folder: each continues its own conversation', async () => {
    const { where, ion } = scene()
    const second = ['--task', 'two', '--headless']
    await ion(['run', id, '--headless', TASK])
    await ion(['run', id, ...second, BY_HAND])
    const again = await ion(['run', id, '--headless', '--send', 'and the docs'])
    expect([again.code, again.out.trim(), again.err]).toEqual([
      0,
      'I have done it: and the docs',
      expect.stringMatching(/\(Explain the tax code\) had its place; it is archived.*\n.*restored session/),
    ])
    expect(Object.values(promptsOf(where, agent))).toEqual([[TASK, 'and the docs']])
    expect((await ion(['run', id, ...second, '--send', 'shorter'])).code).toBe(0)
    expect(Object.values(promptsOf(where, agent))).toEqual([[BY_HAND, 'shorter']])
  })

  test('a second task in the folder is refused while the first one runs', async () => {
    const { where, ion } = scene()
    const hold = join(where.root, 'hold')
    writeFileSync(hold, '')
    const first = ion(['run', id, '--headless', TASK], { ION_FAKE_HOLD_AT: 'answered', ION_FAKE_HOLD: hold })
    await until(() => expect(existsSync(`${hold}.reached`)).toBe(true))
    const second = await ion(['run', id, '--task', 'two', '--headless', BY_HAND])
    rmSync(hold)
    expect([second.code, second.err, (await first).code]).toEqual([
      4,
      expect.stringMatching(/one session per folder, and task main is running in .*\n {2}-> ion stop /),
      0,
    ])
    expect(Object.values(promptsOf(where, agent))).toEqual([[TASK]])
  })

  test('killed at each operation of a swap, neither conversation is lost', { tags: ['deep'] }, async () => {
    const { where, ion, byHand } = scene()
    const hook = join(where.root, 'kill-hook.cjs')
    const operations = join(where.root, 'operations')
    writeFileSync(hook, killHook)
    const env = { NODE_OPTIONS: `-r ${hook}`, ION_TEST_DATABASES: '1' }
    await ion(['run', id, '--headless', TASK])
    await byHand('run', id, '--headless', BY_HAND)
    const said = [BY_HAND]
    const swap = ['run', id, '--headless', '--restore', TASK]
    /** The conversation by hand continues, so that each swap finds one whose last state is in no archive. */
    const continueByHand = async (text: string): Promise<void> => {
      said.push(text)
      expect((await byHand('run', id, '--headless', '--send', text)).code).toBe(0)
    }
    const restoreByHand = async (): Promise<void> => {
      expect((await ion(['restore', await idOf(where, BY_HAND), '--replace'])).code).toBe(0)
      expect(Object.values(promptsOf(where, agent))).toEqual([said])
    }
    await continueByHand('first')
    expect((await ion(swap, { ...env, ION_TEST_OPERATIONS: operations })).code).toBe(0)
    const count = (JSON.parse(readFileSync(operations, 'utf8')) as string[]).length
    for (const point of killPoints(count)) {
      await restoreByHand()
      await continueByHand(`before kill ${point}`)
      await ion(swap, { ...env, ION_TEST_KILL_AT: String(point) })
      expect((await ion(swap)).code).toBe(0)
      expect(Object.values(promptsOf(where, agent))).toEqual([[TASK]])
    }
    await restoreByHand()
  })
})
