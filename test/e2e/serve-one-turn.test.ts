import { expect, onTestFinished, test } from 'vitest'
import { findAgent } from '../../src/agents/find.ts'
import { taskOf } from '../../src/run/task.ts'
import { until } from '../support/wait-until.ts'
import { installFake, ioOf, ledgerOf, logins, promptsOf } from './fake-agent.ts'
import { machine, type Outcome, runIon } from './run-ion.ts'
import { serverAt } from './serve-world.ts'

test.each(['aider', 'amp'])(
  '%s, which exits after its first prompt, is reopened, and takes the next one over HTTP',
  async (id) => {
    const agent = findAgent(id)
    const where = machine()
    const PATH = installFake(where, [agent])
    const ion = (...args: string[]): Promise<Outcome> => runIon(where, args, { env: { PATH, ...logins } })
    onTestFinished(async () => {
      await ion('stop', '--all', '--grace', '0')
    })
    const { code, out } = await ion('serve', id, '--detach', '--port', '0', 'one')
    expect(code).toBe(0)
    const server = serverAt(/https?:\/\/\S+/.exec(out)![0], taskOf(id, where.home, 'main', ioOf(where)).folder)
    expect((await server.say('two')).status).toBe(200)
    await until(async () => expect(await server.messages()).toHaveLength(4))
    expect((await server.messages()).map(({ id, role }) => [id, role])).toEqual([
      [0, 'user'],
      [1, 'agent'],
      [2, 'user'],
      [3, 'agent'],
    ])
    expect(Object.values(promptsOf(where, agent))).toEqual([['one', 'two']])
    const runs = ledgerOf(where, agent).flatMap((entry) => (entry.type === 'planned' ? [entry] : []))
    expect(runs.map(({ decision, one_turn }) => [decision, one_turn])).toEqual([
      ['cold', true],
      ['warm', undefined],
    ])
  },
)
