import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { listAll } from '../../test/support/read-all.ts'
import { scratchIo } from '../../test/support/scratch.ts'
import { findAgent } from '../agents/find.ts'
import { isProblem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { contentText } from '../events/text.ts'
import { SessionFollower } from './session-follower.ts'

const ID = '2d67d85a-3801-4326-857a-93d8079bfb66'

const line = (text: string): string =>
  `${JSON.stringify({
    type: 'user',
    uuid: `u-${text}`,
    parentUuid: null,
    timestamp: '2026-11-16T10:00:00.000Z',
    sessionId: ID,
    cwd: '/made',
    version: '2.1.325',
    message: { role: 'user', content: text },
  })}\n`

/** What one read gives: its kind, and what the user said. */
function read(follower: SessionFollower, head: SessionHead): string[] {
  const { kind, items } = follower.read(head)
  const said: string[] = [kind]
  for (const item of items) {
    if (!isProblem(item) && item.event.type === 'user') said.push(contentText(item.event.content))
  }
  return said
}

test('a file of lines is continued while it only grows, and read again when it was replaced, truncated or rewritten', () => {
  const io = scratchIo()
  const file = join(io.home, '.claude/projects/-made', `${ID}.jsonl`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, line('one'))
  const [head] = listAll(findAgent('claude'), io).heads
  const follower = new SessionFollower(findAgent('claude'), io, 'everything')
  expect(follower.continues).toBeUndefined()
  expect(read(follower, head!)).toEqual(['all', 'one'])
  expect(follower.continues).toBe('lines')
  expect(read(follower, head!)).toEqual(['added'])
  appendFileSync(file, line('two') + line('three').slice(0, 20))
  expect(read(follower, head!)).toEqual(['added', 'two'])
  appendFileSync(file, line('three').slice(20))
  expect(read(follower, head!)).toEqual(['added', 'three'])
  writeFileSync(`${file}.tmp`, line('one') + line('two') + line('three') + line('four'))
  renameSync(`${file}.tmp`, file)
  expect(follower.continues).toBeUndefined()
  expect(read(follower, head!)).toEqual(['all', 'one', 'two', 'three', 'four'])
  writeFileSync(file, line('one'))
  expect(read(follower, head!)).toEqual(['all', 'one'])
  writeFileSync(file, line('1') + line('two'))
  expect(read(follower, head!)).toEqual(['all', '1', 'two'])
  follower.close()
  expect(follower.continues).toBeUndefined()
})

test('a session that may be more than its lines is read whole, unless only its conversation is wanted', () => {
  const io = scratchIo()
  const file = join(io.home, '.claude/projects/-made', `${ID}.jsonl`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, line('one'))
  const { scanner: _, ...agent } = findAgent('claude')
  const [head] = listAll(agent, io).heads
  const [everything, conversation] = (['everything', 'conversation'] as const).map(
    (coverage) => new SessionFollower(agent, io, coverage),
  )
  for (const follower of [everything!, conversation!]) expect(read(follower, head!)).toEqual(['all', 'one'])
  appendFileSync(file, line('two'))
  expect(read(everything!, head!)).toEqual(['all', 'one', 'two'])
  expect(read(conversation!, head!)).toEqual(['added', 'two'])
  conversation!.close()
})
