import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defineAgent } from '../agents/agent.ts'
import type { SessionHead } from '../events/session.ts'
import type { Io } from '../platform/io.ts'
import { filesBelow, scratchIo } from '../testing/scratch.ts'
import { PIECE } from './objects.ts'
import { objectsFolder } from './place.ts'
import { Vault } from './vault.ts'

const ID = '2d67d85a-3801-4326-857a-93d8079bfb66'

/** An agent of one log and one file beside it. */
const robot = defineAgent({
  ...({} as Parameters<typeof defineAgent>[0]),
  id: 'robot',
  title: 'Robot',
  keep: {
    roots: ({ home }) => ({ home }),
    files: { home: [/^log\.jsonl$/, /^note\.json$/] },
    *parts() {
      yield { kind: 'file', root: 'home', path: 'log.jsonl', form: 'lines' }
      yield { kind: 'file', root: 'home', path: 'note.json', form: 'whole' }
    },
  },
})

function world(): { io: Io; log: string; vault: Vault; keep: () => boolean; states: () => string[] } {
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
    }) as SessionHead
  const states = (): string[] =>
    vault.find(robot, ID)!.versions.map(({ parts }) => Buffer.concat([...vault.content(parts[0]!)]).toString())
  return { io, log, vault, keep: () => vault.keep(robot, head()), states }
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

test('a flipped bit anywhere in the vault is found', () => {
  const { io, log, vault, keep } = world()
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
