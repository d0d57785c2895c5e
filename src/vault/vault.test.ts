import { appendFileSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesBelow, scratchIo } from '../../test/support/scratch.ts'
import { defineAgent } from '../agents/agent.ts'
import type { SessionHead } from '../events/session.ts'
import type { Io } from '../platform/io.ts'
import { PIECE } from './objects.ts'
import { Vault } from './vault.ts'
import { objectsFolder } from './vault-paths.ts'

const ID = '2d67d85a-3801-4326-857a-93d8079bfb66'

/** An agent of one log and one file beside it. */
const robot = defineAgent({
  ...({} as Parameters<typeof defineAgent>[0]),
  id: 'robot',
  title: 'Robot',
  backup: {
    roots: ({ home }) => ({ home }),
    files: { home: [/^log\.jsonl$/, /^note\.json$/] },
    *parts() {
      yield { kind: 'file', root: 'home', path: 'log.jsonl', form: 'lines' }
      yield { kind: 'file', root: 'home', path: 'note.json', form: 'whole' }
    },
  },
})

const OLD = '2026-01-05T10:00:00.000Z'

interface World {
  readonly io: Io
  readonly log: string
  readonly vault: Vault
  readonly keep: (how?: { anew: boolean }) => boolean
  readonly states: () => string[]
}

/** `updated_at` is when the session changed last: just now where it does not say. */
function world(updated_at: string | null = null): World {
  const io = scratchIo()
  const log = join(io.home, 'log.jsonl')
  const vault = new Vault(io)
  let revision = 0
  const head = (): SessionHead =>
    ({
      id: ID,
      native_id: 'n',
      title: null,
      cwd: null,
      agent_version: null,
      revision: String(revision++),
      updated_at,
    }) as SessionHead
  const states = (): string[] =>
    vault.find(robot, ID)!.versions.map(({ parts }) => Buffer.concat([...vault.content(parts[0]!)]).toString())
  return { io, log, vault, keep: (how) => vault.keep(robot, head(), how), states }
}

test('nothing to keep', () => {
  const { vault, keep } = world()
  expect(keep()).toBe(false)
  expect(vault.find(robot, ID)).toBeUndefined()
})

test('a log that grows is kept once, without the line that is still being written', () => {
  const { log, keep, states } = world()
  writeFileSync(log, 'one\n')
  keep()
  appendFileSync(log, 'two\nthr')
  keep()
  expect(states()).toEqual(['one\ntwo\n'])
})

test('what was rewritten is kept beside what it was, and of those the last three', () => {
  const { log, keep, states } = world()
  for (const text of ['a\n', 'b\n', 'c\n', 'd\n']) {
    writeFileSync(log, text)
    keep()
  }
  expect(states()).toEqual(['b\n', 'c\n', 'd\n'])
})

test('a file beside it that was rewritten makes a new state', () => {
  const { io, log, vault, keep } = world()
  writeFileSync(log, 'one\n')
  writeFileSync(join(io.home, 'note.json'), '{}')
  keep()
  writeFileSync(join(io.home, 'note.json'), '{"x":1}')
  keep()
  expect(vault.find(robot, ID)!.versions.map(({ parts }) => parts.length)).toEqual([2, 2])
})

test('pieces that nobody needs are swept away, and all others stay', () => {
  const { io, log, vault, keep, states } = world()
  const first = `${'x'.repeat(PIECE - 1)}\n`
  writeFileSync(log, first)
  appendFileSync(log, 'one\n')
  keep()
  appendFileSync(log, 'two\n')
  keep()
  expect(filesBelow(objectsFolder(io))).toHaveLength(3)
  expect(vault.sweep([robot])).toBeGreaterThan(0)
  expect(filesBelow(objectsFolder(io))).toHaveLength(2)
  expect(states()).toEqual([`${first}one\ntwo\n`])
})

test('what has changed lately stands there as it is, and is packed when it is old', () => {
  const { io, log, vault, keep, states } = world()
  const text = 'the same line\n'.repeat(1000)
  writeFileSync(log, text)
  keep()
  const [plain] = filesBelow(objectsFolder(io))
  expect(readFileSync(plain!, 'utf8')).toBe(text)
  expect([vault.pack(), filesBelow(objectsFolder(io))]).toEqual([[], [plain]])
  utimesSync(plain!, new Date(OLD), new Date(OLD))
  expect(vault.pack()).toEqual([])
  const [packed, ...others] = filesBelow(objectsFolder(io))
  expect([packed, others]).toEqual([plain!.replace('.plain', ''), []])
  expect(statSync(packed!).size).toBeLessThan(text.length / 10)
  // It is there, in whichever form.
  keep()
  expect(filesBelow(objectsFolder(io))).toEqual([packed])
  expect([vault.sweep([robot]), states()]).toEqual([0, [text]])
})

test('an old session is packed at once', () => {
  const { io, log, keep, states } = world(OLD)
  writeFileSync(log, 'one\n')
  keep()
  expect(filesBelow(objectsFolder(io)).filter((name) => name.endsWith('.plain'))).toEqual([])
  expect(states()).toEqual(['one\n'])
})

test('a piece that was damaged before it was packed stays as it is, and is named', () => {
  const { io, log, vault, keep } = world()
  writeFileSync(log, 'one\n')
  keep()
  const [plain] = filesBelow(objectsFolder(io))
  writeFileSync(plain!, 'onf\n')
  utimesSync(plain!, new Date(OLD), new Date(OLD))
  expect(vault.pack()).toEqual([`the vault is damaged: ${plain} is not what was written`])
  expect(filesBelow(objectsFolder(io))).toEqual([plain])
})

test('a piece that a killed packing left in both forms is read, and packed again', () => {
  const { io, log, vault, keep, states } = world()
  writeFileSync(log, 'one\n')
  keep()
  const [plain] = filesBelow(objectsFolder(io))
  utimesSync(plain!, new Date(OLD), new Date(OLD))
  const packed = plain!.replace('.plain', '')
  vault.pack()
  writeFileSync(plain!, 'one\n')
  expect(states()).toEqual(['one\n'])
  utimesSync(plain!, new Date(OLD), new Date(OLD))
  expect([vault.pack(), filesBelow(objectsFolder(io)), states()]).toEqual([[], [packed], ['one\n']])
})

test.each([null, OLD])('a damaged copy is made anew (last changed: %s)', (updated_at) => {
  const { io, log, vault, keep, states } = world(updated_at)
  writeFileSync(log, 'one\n')
  keep()
  writeFileSync(filesBelow(objectsFolder(io))[0]!, 'damaged')
  keep()
  expect([...vault.verify([robot])][0]?.problem).toContain('the vault is damaged')
  keep({ anew: true })
  expect([[...vault.verify([robot])], states()]).toEqual([[{ agent: 'robot', id: ID, bytes: 4 }], ['one\n']])
})

test.each([null, OLD])('a flipped bit anywhere in the vault is found (last changed: %s)', (updated_at) => {
  const { io, log, vault, keep } = world(updated_at)
  writeFileSync(log, 'one\n')
  keep()
  for (const name of filesBelow(join(io.env.ION_HOME!, 'vault'))) {
    const file = name.startsWith('/') ? name : join(io.env.ION_HOME!, 'vault', name)
    const good = readFileSync(file)
    for (let bit = 0; bit < good.length * 8; bit += 9) {
      const bad = Buffer.from(good)
      bad[bit >> 3]! ^= 1 << (bit & 7)
      writeFileSync(file, bad)
      const [found] = [...vault.verify([robot])]
      // In the last bits of packed content there is padding, which says nothing.
      if (found?.problem === undefined)
        expect(Buffer.concat([...vault.content(vault.find(robot, ID)!.versions[0]!.parts[0]!)]).toString()).toBe(
          'one\n',
        )
      else expect(found.problem).toContain(file)
    }
    writeFileSync(file, good)
  }
  expect([...vault.verify([robot])]).toEqual([{ agent: 'robot', id: ID, bytes: 4 }])
})
