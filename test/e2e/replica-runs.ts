import { rmSync } from 'node:fs'
import type { Agent } from '../../src/agents/agent.ts'
import { findAgent } from '../../src/agents/find.ts'
import { taskOf } from '../../src/run/task.ts'
import { STUB_BUCKET, type StubServer } from '../s3/stub-server.ts'
import { installFake, ioOf, logins, promptsOf } from './fake-agent.ts'
import { type Machine, type Outcome, runIon } from './run-ion.ts'

/** Runs of one task on several machines, which share nothing but a store. */

const KEY = 'AGE-SECRET-KEY-164XV5WFY7W2VJWPNDWPE0QPSK3E0SWF3WXRZ5HGDNRT3EL5GS2CSY4F6SC'
export const PROMPT = 'fix the bug'
const claude = findAgent('claude')

export function ion(
  on: Machine,
  { env }: Pick<StubServer, 'env'>,
  args: readonly string[] = [PROMPT],
  more: Readonly<Record<string, string>> = {},
  agent: Agent = claude,
): Promise<Outcome> {
  return runIon(on, ['run', agent.id, '--headless', ...args], {
    env: {
      ...logins,
      ...env,
      PATH: installFake(on, [agent]),
      ION_REPLICA: `s3://${STUB_BUCKET}/prefix`,
      ION_REPLICA_KEY: KEY,
      ...more,
    },
    timeoutMs: 120_000,
  })
}

export function folderOf(on: Machine, agent: Agent = claude): string {
  return taskOf(agent.id, on.home, 'main', ioOf(on)).folder
}

/** All prompts in the agent's sessions there. */
export function said(on: Machine, agent: Agent = claude): string[] {
  return Object.values(promptsOf(on, agent)).flat()
}

/** Nothing of this machine is left but what is in the store. */
export function lose(on: Machine): void {
  rmSync(on.home, { recursive: true, force: true })
  rmSync(on.ionHome, { recursive: true, force: true })
}
