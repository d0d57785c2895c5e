import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test, vi } from 'vitest'
import { claudeFile, claudeLines } from '../../test/e2e/claude-session.ts'
import { listAll } from '../../test/support/read-all.ts'
import { scratchIo } from '../../test/support/scratch.ts'
import type { Agent } from '../agents/agent.ts'
import { findAgent } from '../agents/find.ts'
import type { Io } from '../platform/io.ts'
import { Follower } from './follow.ts'
import type { ComposedPlan } from './plan.ts'
import type { LocatedSession } from './session-lookup.ts'

const ID = '2d67d85a-3801-4326-857a-93d8079bfb66'

/** A follower of an agent that was given a prompt; `found` is the session of a warm start. */
function following(agent: Agent, io: Io, prompt: string, found?: LocatedSession, isReplicated = false) {
  const notes: string[] = []
  let asked = 0
  const follower = new Follower({
    agent,
    composed: {
      plan: {
        native_id: found?.head.native_id ?? null,
        cwd: io.cwd,
        run: 'r1',
        prompt: { action: 'deliver', hash: 'h' },
      },
      request: { session: ID },
      command: { sessionId: 'reported' },
      promptText: prompt,
      found,
    } as unknown as ComposedPlan,
    folder: io.home,
    io,
    since: new Date(0),
    seenBefore: 0,
    isReplicated,
    others: () => {
      asked++
      return new Set(['another'])
    },
    note: (entry) => notes.push(entry.type === 'prompt' ? entry.state : entry.type),
  })
  return { follower, notes, asked: () => asked }
}

/** The agent, and how often sessions were read from their beginning. */
function counting(agent: Agent): { agent: Agent; reads: () => number } {
  let reads = 0
  const read: Agent['read'] = (...given) => {
    reads++
    return agent.read(...given)
  }
  return { agent: { ...agent, read }, reads: () => reads }
}

test('a session is read once, however often its prompt is looked for', () => {
  const io = scratchIo()
  const { agent, reads } = counting(findAgent('claude'))
  const file = claudeFile({ home: io.home } as never, ID)
  const line = (prompt: string): string => claudeLines({ id: ID, prompt })[0]!
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${line('an earlier prompt')}\n`)
  const [head] = listAll(agent, io).heads
  const { follower, notes } = following(agent, io, 'the prompt', { head: head!, files: [file] })
  for (let look = 0; look < 5; look++) follower.look()
  appendFileSync(file, line('the prompt'))
  follower.look()
  expect([notes, reads()]).toEqual([[], 1])
  appendFileSync(file, '\n')
  follower.look()
  expect([notes, reads(), follower.isDone]).toEqual([['seen'], 1, true])
})

test.each([
  [false, 3000],
  [true, 250],
])('a session that appears late is found within the interval (replicated: %s, %s ms)', (isReplicated, ms) => {
  vi.useFakeTimers()
  try {
    const io = scratchIo()
    const { follower, notes } = following(findAgent('claude'), io, 'the prompt', undefined, isReplicated)
    follower.reportSession(ID)
    follower.begin()
    // Just after one of the usual looks.
    vi.advanceTimersByTime(60_300)
    const file = claudeFile({ home: io.home } as never, ID)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `${claudeLines({ id: ID, prompt: 'the prompt' })[0]!}\n`)
    vi.advanceTimersByTime(ms)
    expect(notes).toEqual(['session', 'session', 'seen'])
  } finally {
    vi.useRealTimers()
  }
})

test('when the agent has ended, a last line without its line break counts', () => {
  const io = scratchIo()
  const agent = findAgent('claude')
  const file = claudeFile({ home: io.home } as never, ID)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, claudeLines({ id: ID, prompt: 'the prompt' })[0]!)
  const [head] = listAll(agent, io).heads
  const { follower, notes } = following(agent, io, 'the prompt', { head: head!, files: [file] })
  follower.look()
  expect(notes).toEqual([])
  follower.end(0)
  expect(notes).toEqual(['seen'])
})

test('other tasks are asked for their sessions only when there may be a new one', () => {
  const io = scratchIo()
  const agent = findAgent('claude')
  const { follower, asked, notes } = following(agent, io, 'the prompt')
  follower.look()
  follower.look()
  expect(asked()).toBe(0)
  const file = claudeFile({ home: io.home } as never, ID)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${claudeLines({ id: ID, cwd: io.cwd, prompt: 'the prompt' }).join('\n')}\n`)
  follower.look()
  expect([asked(), notes, follower.session]).toEqual([1, ['session', 'seen'], ID])
})
