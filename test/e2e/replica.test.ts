import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import type { Agent } from '../../src/agents/agent.ts'
import { installFake, logins, playable, promptsOf } from './fake-agent.ts'
import { type Machine, machine, type Outcome, runIon } from './run-ion.ts'

// Each test starts several programs, and other machines may be several times slower.
vi.setConfig({ testTimeout: 180_000 })

const KEY = 'AGE-SECRET-KEY-164XV5WFY7W2VJWPNDWPE0QPSK3E0SWF3WXRZ5HGDNRT3EL5GS2CSY4F6SC'

/** Two machines without anything in common but the store. */
function workspaces(): {
  readonly store: string
  make(): Machine
  ion(on: Machine, ...args: string[]): Promise<Outcome>
} {
  const { root } = machine()
  mkdirSync(join(root, 'store'))
  const store = `file://${join(root, 'store')}`
  return {
    store,
    make: machine,
    ion: (on, ...args) =>
      runIon(on, args, {
        env: { ...logins, PATH: installFake(on), ION_REPLICA: store, ION_REPLICA_KEY: KEY },
        timeoutMs: 120_000,
      }),
  }
}

/** One of each kind of store; the others are in the deep tests. */
const chosen = [
  playable.find(({ backup }) => !backup?.tables),
  playable.find(({ backup }) => backup?.tables),
  playable.find(({ onePerFolder }) => onePerFolder),
]

describe.each(playable.map((agent) => [agent.id, agent] as const))('%s', (_id, agent: Agent) => {
  const options = chosen.includes(agent) ? {} : { tags: ['deep'] }
  test(
    'a task that was started in one home is resumed in an empty one, and its prompt is sent once',
    options,
    async () => {
      const { make, ion } = workspaces()
      const first = make()
      const trust = (on: Machine): Promise<unknown> =>
        agent.start?.prepare?.trust ? ion(on, 'run', agent.id, '--prepare', 'trust') : Promise.resolve()
      await trust(first)
      const cold = await ion(first, 'run', agent.id, '--headless', 'fix the bug')
      expect(cold, cold.err).toMatchObject({ code: 0 })
      const before = promptsOf(first, agent)
      expect(Object.values(before).flat()).toEqual(['fix the bug'])
      rmSync(first.home, { recursive: true })
      rmSync(first.ionHome, { recursive: true })
      const second = make()
      await trust(second)
      const warm = await ion(second, 'run', agent.id, '--headless', 'fix the bug')
      expect(warm.err).toContain('restored session')
      expect(warm, warm.err).toMatchObject({ code: 0 })
      expect(Object.values(promptsOf(second, agent)).flat()).toEqual(['fix the bug'])
      const next = await ion(second, 'run', agent.id, '--headless', '--send', 'and the next one')
      expect(next, next.err).toMatchObject({ code: 0 })
      expect(Object.values(promptsOf(second, agent)).flat()).toEqual(['fix the bug', 'and the next one'])
    },
  )
})
