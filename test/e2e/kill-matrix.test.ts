import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Agent } from '../../src/agents/agent.ts'
import { findAgent } from '../../src/agents/find.ts'
import { type Step, steps } from '../fake-agent/steps.ts'
import { playable } from './fake-agent.ts'
import {
  type Arena,
  arena,
  type Cell,
  cell,
  type Ended,
  good,
  hasKilled,
  inParallel,
  type Kill,
  killing,
  outcomes,
  start,
  startInTerminal,
  type Whom,
} from './kill-cells.ts'
import { killHook } from './kill-hook.ts'

/**
 * Ion, the agent or both are killed by kill -9 at every step, and started again. Whatever happened, the prompt is in the
 * transcript exactly once, and the ledger has the session that contains it.
 */

const whoms: readonly Whom[] = ['agent', 'ion', 'both']

/** One for each way a session gets its id: assigned by Ion, reported by the agent, found by a unique name. */
const deep: readonly Agent[] = ['claude', 'codex', 'goose'].map(findAgent)

/** All steps for every agent; who is killed alternates, except for the agents that try every combination. */
function killsFor(agent: Agent): Kill[] {
  if (deep.includes(agent)) return steps.flatMap((at) => whoms.map((whom) => ({ at, whom })))
  return goingRound(agent, steps)
}

function goingRound(agent: Agent, some: readonly Step[]): Kill[] {
  const first = playable.indexOf(agent)
  return some.map((at, index) => ({ at, whom: whoms[(first + index) % whoms.length]! }))
}

const taskIn = ({ name }: Cell): string => `Mend the refund of ${name}\nand say why`
const nextIn = ({ name }: Cell): string => `Now the tax of ${name}`

type Starter = typeof start

/** Starts a cell, has it killed, starts it again, and waits until it ends normally. */
async function killOnce(of: Cell, kill: Kill, starter: Starter): Promise<Ended> {
  await starter(of, [taskIn(of)], killing(kill, of))
  return starter(of, [taskIn(of)])
}

function allGood(cells: Iterable<Cell>): Record<string, typeof good> {
  // Each has its own copy: in the difference that a failure prints, a shared object would show the values of another cell.
  return Object.fromEntries([...cells].map(({ name }) => [name, { ...good }]))
}

/** Where no line can be torn, because the store is a database, nothing is killed at that step. */
function unkilled(cells: ReadonlyMap<Cell, Kill>): string[] {
  return [...cells].flatMap(([of, { at }]) => (at === 'torn' || hasKilled(of) ? [] : [of.name]))
}

function cellsFor(where: Arena, kills: readonly Kill[]): Map<Cell, Kill> {
  return new Map(kills.map((kill) => [cell(where, `${kill.at}-${kill.whom}`), kill]))
}

describe.skipIf(process.platform !== 'linux')('the kill matrix', () => {
  test.each(playable.map((agent) => [agent.id, agent] as const))('%s, without a terminal', async (_id, agent) => {
    const where = arena(agent)
    const cells = cellsFor(where, killsFor(agent))
    const ends = new Map<Cell, Ended>()
    await inParallel([...cells], async ([of, kill]) => {
      ends.set(of, await killOnce(of, kill, start))
    })
    expect(unkilled(cells)).toEqual([])
    expect(outcomes(where, ends, taskIn)).toEqual(allGood(cells.keys()))
  })

  test.each(playable.map((agent) => [agent.id, agent] as const))(
    '%s, in a terminal',
    { tags: ['deep'] },
    async (_id, agent) => {
      const where = arena(agent)
      const some: readonly Step[] = deep.includes(agent) ? steps : ['created', 'prompted', 'answered']
      const cells = cellsFor(where, goingRound(agent, some))
      const ends = new Map<Cell, Ended>()
      await inParallel([...cells], async ([of, kill]) => {
        ends.set(of, await killOnce(of, kill, startInTerminal))
      })
      expect(unkilled(cells)).toEqual([])
      expect(outcomes(where, ends, taskIn)).toEqual(allGood(cells.keys()))
    },
  )

  test.each(deep.map((agent) => [agent.id, agent] as const))(
    '%s, killed in a later turn',
    { tags: ['deep'] },
    async (_id, agent) => {
      const where = arena(agent)
      const cells = cellsFor(where, goingRound(agent, steps))
      const ends = new Map<Cell, Ended>()
      const reported: string[] = []
      await inParallel([...cells], async ([of, kill]) => {
        const said = [await start(of, [taskIn(of)]), await start(of, ['--send', nextIn(of)], killing(kill, of))]
        reported.push(`${of.name}: ${said.map(({ code, err }) => `${code} ${err}`).join(' | ')}`)
        ends.set(of, await start(of, []))
      })
      expect(unkilled(cells), reported.join('\n')).toEqual([])
      expect(outcomes(where, ends, taskIn)).toEqual(allGood(cells.keys()))
      expect(outcomes(where, ends, nextIn)).toEqual(allGood(cells.keys()))
    },
  )

  test.each(playable.map((agent) => [agent.id, agent] as const))(
    '%s, killed three times in a row',
    { tags: ['deep'] },
    async (id, agent) => {
      const where = arena(agent)
      const next = dice(id)
      const rounds = Array.from({ length: deep.includes(agent) ? 4 : 1 }, (_, round) => ({
        of: cell(where, `round-${round}`),
        kills: [0, 1, 2].map((): Kill => ({ at: next(steps), whom: next(whoms) })),
      }))
      const ends = new Map<Cell, Ended>()
      await inParallel(rounds, async ({ of, kills }) => {
        for (const [nth, kill] of kills.entries()) await start(of, [taskIn(of)], killing(kill, of, nth))
        ends.set(of, await start(of, [taskIn(of)]))
      })
      expect(outcomes(where, ends, taskIn), JSON.stringify(rounds.map(({ kills }) => kills))).toEqual(
        allGood(ends.keys()),
      )
    },
  )

  test.each(deep.map((agent) => [agent.id, agent] as const))(
    '%s: Ion is killed at its own operations',
    { tags: ['deep'] },
    async (_id, agent) => {
      const where = arena(agent)
      const hook = installHook(where)
      const operations = await operationsOf(where, hook)
      const launch = operations.indexOf('spawn') + 1
      const ends = new Map<Cell, Ended>()
      const [tried, killed] = [new Set<number>(), new Set<number>()]
      // Each agent tries every third operation, so together they try all. The last number is the first that kills nothing.
      let untouched = Number.POSITIVE_INFINITY
      const numbers = function* (): Generator<number> {
        const isAll = process.env.ION_KILLS === 'all'
        for (let number = 1; number < untouched; number++) {
          if (isAll || number % deep.length === deep.indexOf(agent)) yield number
        }
      }
      await inParallel(numbers(), async (number) => {
        tried.add(number)
        const of = cell(where, `at-${number}`)
        const { code } = await start(of, [taskIn(of)], { ...hook, ION_TEST_KILL_AT: String(number) })
        if (code === null) killed.add(number)
        else untouched = Math.min(untouched, number)
        ends.set(of, await start(of, [taskIn(of)]))
      })
      // A slow agent is checked more often, and each check may be an operation.
      expect(untouched).toBeGreaterThan(launch + 20)
      expect([...tried].filter((number) => number < untouched && !killed.has(number))).toEqual([])
      expect(outcomes(where, ends, taskIn)).toEqual(allGood(ends.keys()))
    },
  )

  test.each(deep.map((agent) => [agent.id, agent] as const))(
    '%s: Ion is killed at its own operations three times in a row',
    { tags: ['deep'] },
    async (id, agent) => {
      const where = arena(agent)
      const hook = installHook(where)
      const operations = await operationsOf(where, hook)
      const next = dice(`${id} operations`)
      const numbers = operations.map((_, index) => index + 1)
      const rounds = [0, 1, 2, 3].map((round) => ({
        of: cell(where, `round-${round}`),
        kills: [next(numbers), next(numbers), next(numbers)],
      }))
      const ends = new Map<Cell, Ended>()
      await inParallel(rounds, async ({ of, kills }) => {
        for (const number of kills) await start(of, [taskIn(of)], { ...hook, ION_TEST_KILL_AT: String(number) })
        ends.set(of, await start(of, [taskIn(of)]))
      })
      expect(outcomes(where, ends, taskIn), JSON.stringify(rounds.map(({ kills }) => kills))).toEqual(
        allGood(ends.keys()),
      )
    },
  )
})

function installHook({ where }: Arena): Record<string, string> {
  const file = join(where.root, 'kill-hook.cjs')
  writeFileSync(file, killHook)
  return { NODE_OPTIONS: `-r ${file}` }
}

/** The operations of an undisturbed run. It also asks for the agent's version, which is cached. */
async function operationsOf(where: Arena, hook: Record<string, string>): Promise<string[]> {
  const file = join(where.where.root, 'operations')
  await start(cell(where, 'version'), ['look around'])
  await start(cell(where, 'count'), ['look around'], { ...hook, ION_TEST_OPERATIONS: file })
  return JSON.parse(readFileSync(file, 'utf8')) as string[]
}

/** Always the same numbers for the same name. */
function dice(seed: string): <T>(sides: readonly T[]) => T {
  let state = [...seed].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7)
  return (sides) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return sides[(state >>> 16) % sides.length]!
  }
}
