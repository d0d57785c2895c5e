import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { findAgent } from '../../src/agents/find.ts'
import { replicaLease } from '../../src/replica/status.ts'
import { steps } from '../fake-agent/steps.ts'
import { startStub } from '../s3/stub-server.ts'
import { killHook, killPoints } from './kill-hook.ts'
import { folderOf, ion, lose, PROMPT, said } from './replica-runs.ts'
import { type Machine, machine } from './run-ion.ts'

// Each test starts several programs, and other machines may be several times slower.
vi.setConfig({ testTimeout: 900_000 })

const deep = { tags: ['deep'] }

/** A store of files, and a database. */
const agents = ['claude', 'goose'].map((id) => [id, findAgent(id)] as const)

describe('everything on a machine is killed, and the machine is gone', () => {
  test.each(agents)('%s: at every step of the agent', deep, async (_id, agent) => {
    const ends: Record<string, unknown> = {}
    for (const at of steps) {
      const stub = await startStub()
      const first = machine()
      const died = join(first.root, 'died')
      await ion(
        first,
        stub,
        [PROMPT],
        {
          ION_FAKE_DIE_AT: at,
          ION_FAKE_KILL: 'both',
          ION_FAKE_KILL_HOLDER: replicaLease(folderOf(first, agent)),
          ION_FAKE_DIED: died,
        },
        agent,
      )
      const isKilled = existsSync(died)
      lose(first)
      const second = machine()
      const { code, err } = await ion(second, stub, ['--steal', PROMPT], {}, agent)
      // An interrupted turn is reported; continuing it is the user's choice.
      ends[at] = { isKilled, isGood: code === 0 || /was interrupted/.test(err) || err, said: said(second, agent) }
    }
    // No line of a database can be torn.
    const isTorn = agent.id === 'claude'
    expect(ends).toEqual(
      Object.fromEntries(steps.map((at) => [at, { isKilled: at !== 'torn' || isTorn, isGood: true, said: [PROMPT] }])),
    )
  })
})

describe('a restore is killed', () => {
  /** In the process that restores, and stores afterwards. */
  const hookOf = ({ root }: Machine): Record<string, string> => {
    const file = join(root, 'kill-hook.cjs')
    writeFileSync(file, killHook)
    return { NODE_OPTIONS: `-r ${file}`, ION_TEST_KILL_IN: 'replica-process' }
  }

  test.each(agents)('%s: at its own operations', deep, async (_id, agent) => {
    const stub = await startStub()
    const first = machine()
    expect(await ion(first, stub, [PROMPT], {}, agent)).toMatchObject({ code: 0 })
    lose(first)
    const counting = machine()
    const list = join(counting.root, 'operations')
    await ion(counting, stub, [PROMPT], { ...hookOf(counting), ION_TEST_OPERATIONS: list }, agent)
    lose(counting)
    const operations = (JSON.parse(readFileSync(list, 'utf8')) as string[]).length
    expect(operations).toBeGreaterThan(50)
    const ends: Record<number, unknown> = {}
    const points = killPoints(operations)
    for (const number of points) {
      const next = machine()
      await ion(next, stub, [PROMPT], { ...hookOf(next), ION_TEST_KILL_AT: String(number) }, agent)
      const { code, err } = await ion(next, stub, ['--steal', PROMPT], {}, agent)
      ends[number] = { code: code === 0 ? 0 : `${code} ${err}`, said: said(next, agent) }
      lose(next)
    }
    expect(ends).toEqual(Object.fromEntries(points.map((number) => [number, { code: 0, said: [PROMPT] }])))
  })
})
