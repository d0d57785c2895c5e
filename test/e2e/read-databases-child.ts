import { setImmediate as turn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type Io, type Item, isProblem, listSessions, readSession, type SessionRow, search } from '../../src/index.ts'

/**
 * Lists and reads sessions again and again in one process, with a garbage collection and a turn of the event loop between
 * any two events: what SQLite has open must survive both. Prints how many events each round gave.
 * Arguments: the home, the number of rounds, and the agents.
 */

const [home, rounds, ...agents] = process.argv.slice(2)
const io: Io = {
  home: home!,
  cwd: home!,
  env: { HOME: home, ION_HOME: `${home}/.ion` },
  platform: process.platform,
  now: () => new Date(),
}
const options = { io, hidden: true, subAgents: true, agents: agents as string[] }

type SessionEvents = readonly [id: string, events: unknown[]]

async function all(row: SessionRow): Promise<unknown[]> {
  const events: unknown[] = []
  for await (const item of readSession(row, { io })) {
    if (isProblem(item)) throw new Error(item.problem)
    events.push(item)
    if (events.length % 16 === 1) await collect()
  }
  return events
}

async function collect(): Promise<void> {
  gc!()
  await turn()
}

/** Two readers of the same session in turn. */
async function interleaved(row: SessionRow): Promise<[unknown[], unknown[]]> {
  const readers = [readSession(row, { io }), readSession(row, { io })] as const
  const events: [unknown[], unknown[]] = [[], []]
  for (let open = true; open; ) {
    open = false
    for (const [index, reader] of readers.entries()) {
      const { value, done } = await reader.next()
      if (!done) events[index]!.push(value)
      open ||= !done
    }
    await turn()
  }
  return events
}

/** One reader is dropped half-way without being closed, another ends with an error of its consumer. */
async function abandon(row: SessionRow): Promise<void> {
  const dropped: AsyncIterator<Item> = readSession(row, { io })
  await dropped.next()
  await dropped.next()
  try {
    for await (const _ of readSession(row, { io })) throw new Error('enough')
  } catch (error) {
    if ((error as Error).message !== 'enough') throw error
  }
}

async function round(n: number): Promise<SessionEvents[]> {
  const found: SessionEvents[] = []
  for await (const row of listSessions(options)) {
    if (n % 5 === 0) await abandon(row)
    const events = await all(row)
    if (n % 5 === 1 && !isDeepStrictEqual(await interleaved(row), [events, events]))
      throw new Error(`two readers of ${row.id} got other events`)
    found.push([row.id, events])
    await collect()
  }
  // The index, too.
  for await (const _ of search('the', { io })) await turn()
  return found
}

const first = await round(0)
for (let n = 1; n < Number(rounds); n++) {
  if (!isDeepStrictEqual(await round(n), first)) throw new Error(`round ${n} gave other events than the first`)
}
console.log(JSON.stringify(first.map(([id, events]) => [id, events.length])))
