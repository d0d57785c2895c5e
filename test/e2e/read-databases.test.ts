import { execFile } from 'node:child_process'
import { closeSync, openSync, readSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { type Io, listSessions } from '../../src/index.ts'
import { sampleIo } from '../support/sample-home.ts'

const child = fileURLToPath(new URL('read-databases-child.ts', import.meta.url))
const MAGIC = 'SQLite format 3\0'

/** The agents that store sessions in a database. */
async function databaseAgents(io: Io): Promise<string[]> {
  const agents = new Set<string>()
  for await (const { agent, path } of listSessions({ io, hidden: true, subAgents: true, catalog: false }))
    if (startOf(path) === MAGIC) agents.add(agent)
  return [...agents]
}

function startOf(path: string): string {
  const fd = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(MAGIC.length)
    readSync(fd, bytes)
    return bytes.toString('latin1')
  } finally {
    closeSync(fd)
  }
}

/**
 * In another process, since the failure is a crash. Optimised code keeps only what it still needs, so it is where a garbage
 * collection takes what SQLite needs.
 */
async function readInRounds(io: Io, agents: Iterable<string>, rounds: number): Promise<[id: string, events: number][]> {
  const flags = ['--always-turbofan', '--expose-gc', '--no-warnings', '--import', 'tsx']
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, child, io.home, String(rounds), ...agents])
  return JSON.parse(stdout)
}

test('databases are read again and again in one process, across garbage collections', {
  timeout: 120_000,
}, async () => {
  const io = sampleIo()
  const agents = await databaseAgents(io)
  expect(agents.length).toBeGreaterThanOrEqual(4)
  const sessions = await readInRounds(io, agents, 2)
  expect(sessions.length).toBeGreaterThanOrEqual(agents.length)
  expect(sessions.filter(([, events]) => events < 3)).toEqual([])
})

test('500 rounds of each agent', { tags: ['deep'], timeout: 1_800_000 }, async () => {
  const io = sampleIo()
  for (const agent of await databaseAgents(io)) expect((await readInRounds(io, [agent], 500)).length).toBeGreaterThan(0)
})
