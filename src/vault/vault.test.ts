import { appendFileSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesBelow, scratchIo } from '../../test/support/scratch.ts'
import { defineAgent } from '../agents/agent.ts'
import type { SessionHead } from '../events/session.ts'
import type { Io } from '../platform/io.ts'
import { hashOf, PIECE } from './objects.ts'
import { Vault } from './vault.ts'
import { manifestFile, objectsFolder } from './vault-paths.ts'

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
  readonly backUp: (how?: { force: boolean }) => boolean
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
  return { io, log, vault, backUp: (how) => vault.backUp(robot, head(), how), states }
}

/** As the next `ion capture --all` does. */
const packLater = (io: Io): string[] => new Vault(io).pack()

test('nothing to copy', () => {
  const { vault, backUp } = world()
  expect(backUp()).toBe(false)
  expect(vault.find(robot, ID)).toBeUndefined()
})

test('a growing log is stored once, without the incomplete last line', () => {
  const { log, backUp, states } = world()
  writeFileSync(log, 'one\n')
  backUp()
  appendFileSync(log, 'two\nthr')
  backUp()
  expect(states()).toEqual(['one\ntwo\n'])
})

test('a rewritten session adds a version, and the last three are kept', () => {
  const { log, backUp, states } = world()
  for (const text of ['a\n', 'b\n', 'c\n', 'd\n']) {
    writeFileSync(log, text)
    backUp()
  }
  expect(states()).toEqual(['b\n', 'c\n', 'd\n'])
})

test('a rewritten second file makes a new version', () => {
  const { io, log, vault, backUp } = world()
  writeFileSync(log, 'one\n')
  writeFileSync(join(io.home, 'note.json'), '{}')
  backUp()
  writeFileSync(join(io.home, 'note.json'), '{"x":1}')
  backUp()
  expect(vault.find(robot, ID)!.versions.map(({ parts }) => parts.length)).toEqual([2, 2])
})

test('unneeded pieces are removed, and all others are kept', () => {
  const { io, log, vault, backUp, states } = world()
  const first = `${'x'.repeat(PIECE - 1)}\n`
  writeFileSync(log, first)
  appendFileSync(log, 'one\n')
  backUp()
  appendFileSync(log, 'two\n')
  backUp()
  expect(filesBelow(objectsFolder(io))).toHaveLength(3)
  expect(vault.sweep([robot])).toBeGreaterThan(0)
  expect(filesBelow(objectsFolder(io))).toHaveLength(2)
  expect(states()).toEqual([`${first}one\ntwo\n`])
})

test('a copy is uncompressed, and compressed when the session has not changed for a week', () => {
  const { io, log, vault, backUp, states } = world()
  const text = 'the same line\n'.repeat(1000)
  writeFileSync(log, text)
  backUp()
  const [plain] = filesBelow(objectsFolder(io))
  expect(readFileSync(plain!, 'utf8')).toBe(text)
  expect([packLater(io), filesBelow(objectsFolder(io))]).toEqual([[], [plain]])
  utimesSync(plain!, new Date(OLD), new Date(OLD))
  expect(packLater(io)).toEqual([])
  const [packed, ...others] = filesBelow(objectsFolder(io))
  expect([packed, others]).toEqual([plain!.replace('.plain', ''), []])
  expect(statSync(packed!).size).toBeLessThan(text.length / 10)
  // It is there, in whichever form.
  backUp()
  expect(filesBelow(objectsFolder(io))).toEqual([packed])
  expect([vault.sweep([robot]), states()]).toEqual([0, [text]])
})

test('the copy of an old session is compressed later than it is made, without waiting for another week', () => {
  const { io, log, vault, backUp, states } = world(OLD)
  writeFileSync(log, 'one\n')
  backUp()
  const [plain] = filesBelow(objectsFolder(io))
  expect([vault.pack(), filesBelow(objectsFolder(io))]).toEqual([[], [expect.stringMatching(/\.plain$/)]])
  expect([packLater(io), filesBelow(objectsFolder(io))]).toEqual([[], [plain!.replace('.plain', '')]])
  expect(states()).toEqual(['one\n'])
})

test.each(['1969-12-31T00:00:00.000Z', '+275760-09-13T00:00:00.000Z', 'no time'])(
  'a time that cannot be true does not prevent a copy: %s',
  (updated_at) => {
    const { io, log, backUp, states } = world(updated_at)
    writeFileSync(log, 'one\n')
    backUp()
    expect([packLater(io), states()]).toEqual([[], ['one\n']])
    expect(filesBelow(objectsFolder(io))).toEqual([expect.stringMatching(/\.plain$/)])
  },
)

test('a piece damaged before compression is left alone and reported', () => {
  const { io, log, backUp } = world()
  writeFileSync(log, 'one\n')
  backUp()
  const [plain] = filesBelow(objectsFolder(io))
  writeFileSync(plain!, 'onf\n')
  utimesSync(plain!, new Date(OLD), new Date(OLD))
  expect(packLater(io)).toEqual([`an exact copy is damaged: ${plain} has changed since it was written`])
  expect(filesBelow(objectsFolder(io))).toEqual([plain])
})

test('a piece left in both forms by a killed compression is read, and compressed again', () => {
  const { io, log, backUp, states } = world(OLD)
  writeFileSync(log, 'one\n')
  backUp()
  const [plain] = filesBelow(objectsFolder(io))
  const packed = plain!.replace('.plain', '')
  packLater(io)
  writeFileSync(plain!, 'one\n')
  expect(states()).toEqual(['one\n'])
  utimesSync(plain!, new Date(OLD), new Date(OLD))
  expect([packLater(io), filesBelow(objectsFolder(io)), states()]).toEqual([[], [packed], ['one\n']])
})

test.each([null, OLD])('a damaged copy is made again (last changed: %s)', (updated_at) => {
  const { io, log, vault, backUp, states } = world(updated_at)
  writeFileSync(log, 'one\n')
  backUp()
  writeFileSync(filesBelow(objectsFolder(io))[0]!, 'damaged')
  backUp()
  expect([...vault.verify([robot])][0]?.problem).toContain('an exact copy is damaged')
  backUp({ force: true })
  expect([[...vault.verify([robot])], states()]).toEqual([[{ agent: 'robot', id: ID, bytes: 4 }], ['one\n']])
})

test.each([null, OLD])('a flipped bit in any copy is found (last changed: %s)', (updated_at) => {
  const { io, log, vault, backUp } = world(updated_at)
  writeFileSync(log, 'one\n')
  backUp()
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

test('a manifest of a newer version is refused and not replaced; one with a wrong shape is damaged', () => {
  const { io, log, backUp, vault } = world()
  writeFileSync(log, '{}\n')
  expect(backUp()).toBe(true)
  const file = manifestFile(robot.id, ID, io)
  const write = (change: object): void => {
    const body = JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8').split('\n')[0]!), ...change })
    writeFileSync(file, `${body}\n${hashOf(Buffer.from(body))}\n`)
  }
  write({ versions: [{ at: 1 }] })
  expect(() => vault.find(robot, ID)).toThrow('is not a manifest')
  expect(backUp()).toBe(true)
  write({ v: 2 })
  const newer = readFileSync(file, 'utf8')
  expect(() => vault.find(robot, ID)).toThrow('was written by a newer version of Ion (format 2)')
  expect(() => backUp()).toThrow('newer version of Ion')
  expect(vault.sweep([robot])).toBe(0)
  expect(readFileSync(file, 'utf8')).toBe(newer)
})
