import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { agentsWith } from '../../scripts/agent-folders.ts'
import { agents } from '../../src/agents/_registry.ts'
import type { Agent } from '../../src/agents/agent.ts'
import type { IonEvent } from '../../src/events/schema.ts'
import { contentText } from '../../src/events/text.ts'
import { readContext } from '../../src/native/read-context.ts'
import type { Io } from '../../src/platform/io.ts'
import { type LedgerEntry, readLedger } from '../../src/run/ledger.ts'
import { taskOf } from '../../src/run/task.ts'
import { builtFolder } from '../support/built.ts'
import { listAll, readAll } from '../support/read-all.ts'
import type { Machine } from './run-ion.ts'

const fakes = new Set(agentsWith('test/fake.ts').map(({ id }) => id))

/** All agents that the fake agent can play. */
export const playable: readonly Agent[] = agents.filter((agent) => agent.start && fakes.has(agent.id))

/** Where Ion checks for a login or a server before it starts some agents. */
export const logins: Readonly<Record<string, string>> = {
  AMP_API_KEY: 'sk-test',
  AMP_URL: 'http://127.0.0.1:9',
  AIDER_MODEL: 'fake',
  AUGMENT_SESSION_AUTH: 'test',
  CODEX_API_KEY: 'sk-test',
  CURSOR_API_KEY: 'sk-test',
  GEMINI_API_KEY: 'sk-test',
}

/** Installs the fake agent on the machine under the names of the real programs. Returns the PATH. */
export function installFake({ root }: Machine, chosen: readonly Agent[] = playable): string {
  const bin = join(root, 'bin')
  mkdirSync(bin, { recursive: true })
  for (const agent of chosen) {
    const file = join(bin, agent.binaries[0]!)
    const program = join(builtFolder(), 'fake-agent.cjs')
    writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${program}" ${agent.id} "$@"\n`)
    chmodSync(file, 0o755)
  }
  return `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`
}

/** The machine as the program sees it. */
export function ioOf({ home, ionHome }: Machine, cwd: string = home): Io {
  return {
    env: { HOME: home, ION_HOME: ionHome, PATH: '' },
    home,
    cwd,
    platform: process.platform,
    now: () => new Date(),
  }
}

export function ledgerOf(where: Machine, agent: Agent, task = 'main', cwd = where.home): readonly LedgerEntry[] {
  return readLedger(taskOf(agent.id, cwd, task, ioOf(where)).folder).entries
}

/** What the user said, in each session of that agent, by native id. */
export function promptsOf(where: Machine, agent: Agent, cwd = where.home): Record<string, string[]> {
  const io = ioOf(where, cwd)
  const said: Record<string, string[]> = {}
  for (const head of listAll(agent, io).heads) {
    const { events } = readAll(agent, head, io, readContext(io))
    said[head.native_id] = events
      .filter((event): event is IonEvent & { type: 'user' } => event.type === 'user')
      .map((event) => contentText(event.content).trim())
  }
  return said
}
