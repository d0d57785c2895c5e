import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keptFixtures } from '../../../test/support/kept-fixtures.ts'
import { scratchFolder, scratchIo, treeState } from '../../../test/support/scratch.ts'
import { IonError } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { createSnapshot } from './create.ts'
import { restoreSnapshot } from './restore.ts'
import { readTar } from './tar-reader.ts'
import { TarWriter } from './tar-writer.ts'
import { verifySnapshot } from './verify.ts'

const RUNS = 12

/** An agent with files, and one with rows; each with the smallest of its fixtures. */
const worlds = keptFixtures.filter(
  ([, version, { backup }]) =>
    (backup?.files.config && !backup.tables && version === '2.1.197') ||
    (backup?.tables?.includes('messages') && version === '1.52.0'),
)

interface Entry {
  readonly name: string
  readonly bytes: Buffer
}

async function entriesOf(file: string): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const { name, content } of readTar(file)) {
    const pieces: Buffer[] = []
    for await (const piece of content) pieces.push(piece)
    entries.push({ name, bytes: Buffer.concat(pieces) })
  }
  return entries
}

function write(file: string, entries: readonly Entry[], io: Io): void {
  const writer = new TarWriter(file, io.now())
  for (const { name, bytes } of entries) writer.add(name, bytes.length, [bytes])
  writer.finish(true)
}

/** Replaces one value of a JSON text: the n-th, whatever it is. */
function replaceValue(text: string, nth: number, by: unknown): string {
  let left = nth
  const walk = (value: unknown): unknown => {
    if (left-- === 0) return by
    if (Array.isArray(value)) return value.map(walk)
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, walk(one)]))
  }
  return JSON.stringify(walk(JSON.parse(text)))
}

/** The manifest with a value replaced and its checksum corrected, as an attacker would. */
function forgedManifest(bytes: Buffer, line: number, nth: number, by: unknown): Buffer {
  const lines = bytes.toString('utf8').trimEnd().split('\n').slice(0, -1)
  const at = line % lines.length
  lines[at] = replaceValue(lines[at]!, nth, by)
  const body = lines.map((one) => `${one}\n`).join('')
  const sha256 = createHash('sha256').update(body).digest('hex')
  return Buffer.from(`${body}${JSON.stringify({ end: true, sessions: lines.length, sha256 })}\n`)
}

/** The first line of rows with a value replaced, and the manifest's size and checksum of it corrected. */
function forgedRows(entries: readonly Entry[], nth: number, by: unknown): Entry[] {
  const rows = entries.findIndex(({ name }) => name.includes('/rows/'))
  if (rows < 0) return [...entries]
  const [first = '', ...rest] = entries[rows]!.bytes.toString('utf8').split('\n')
  const bytes = Buffer.from([replaceValue(first, nth, by), ...rest].join('\n'))
  const sha = (one: Buffer): string => createHash('sha256').update(one).digest('hex')
  const manifest = entries.at(-1)!
  const old = entries[rows]!.bytes
  const text = manifest.bytes
    .toString('utf8')
    .replace(`"size":${old.length},"sha256":"${sha(old)}"`, `"size":${bytes.length},"sha256":"${sha(bytes)}"`)
  const changed = forgedManifest(Buffer.from(text), 0, -1, undefined)
  return [
    ...entries.slice(0, rows),
    { ...entries[rows]!, bytes },
    ...entries.slice(rows + 1, -1),
    { ...manifest, bytes: changed },
  ]
}

const values = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    -1,
    '',
    '..',
    '/etc/passwd',
    '../../x',
    0,
    1e308,
    [],
    {},
    true,
    'A'.repeat(5000),
    'DROP TABLE x',
  ),
  fc.string(),
  fc.double({ noNaN: true }),
)
const index = fc.nat(10_000)

type Mutation = (entries: readonly Entry[]) => Entry[]

const mutations: fc.Arbitrary<Mutation> = fc.oneof(
  fc.tuple(index, index, values).map(
    ([line, nth, by]): Mutation =>
      (entries) => [
        ...entries.slice(0, -1),
        { ...entries.at(-1)!, bytes: forgedManifest(entries.at(-1)!.bytes, line, nth % 40, by) },
      ],
  ),
  fc.tuple(index, values).map(
    ([nth, by]): Mutation =>
      (entries) =>
        forgedRows(entries, nth % 60, by),
  ),
  fc.tuple(index, fc.string()).map(
    ([at, name]): Mutation =>
      (entries) =>
        entries.map((entry, n) => (n === at % entries.length ? { ...entry, name } : entry)),
  ),
  index.map(
    (at): Mutation =>
      (entries) =>
        entries.toSpliced(at % entries.length, 1),
  ),
  fc.tuple(index, index).map(
    ([from, to]): Mutation =>
      (entries) =>
        entries.toSpliced(to % entries.length, 0, entries[from % entries.length]!),
  ),
  fc.tuple(index, index).map(
    ([at, byte]): Mutation =>
      (entries) =>
        entries.map((entry, n) => {
          if (n !== at % entries.length || entry.bytes.length === 0) return entry
          const bytes = Buffer.from(entry.bytes)
          bytes[byte % bytes.length]! ^= 0x15
          return { ...entry, bytes }
        }),
  ),
)

async function restore(file: string, io: Io): Promise<'refused' | 'accepted'> {
  const verified = await verifySnapshot(file)
  const request = { file, verified, sessions: verified.sessions, to: io, home: io.home, spool: scratchFolder() }
  try {
    let wasWritten = false
    for await (const { outcome } of restoreSnapshot(request)) wasWritten ||= outcome === 'restored'
    return wasWritten ? 'accepted' : 'refused'
  } catch (error) {
    expect(error).toBeInstanceOf(IonError)
    return 'refused'
  }
}

test.each(worlds)(
  '%s %s: a mutated snapshot is restored, or changes not a byte',
  async (_id, _version, agent, fixture) => {
    const from = scratchIo(fixture)
    const original = join(scratchFolder(), 'snapshot.tar.gz')
    createSnapshot({ file: original, agents: [agent], ionVersion: '0.0.0' }, from)
    const entries = await entriesOf(original)
    const tar = gunzipSync(readFileSync(original))
    const file = join(scratchFolder(), 'mutated.tar.gz')
    const attempt = async (): Promise<void> => {
      const io = scratchIo()
      writeFileSync(join(io.home, 'mine.txt'), 'mine')
      const before = treeState(io.home)
      const outcome = await restore(file, io)
      const after = treeState(io.home)
      if (outcome === 'refused') expect(after).toEqual(before)
      // Whatever was accepted is below the agent's folders.
      const roots = Object.values(agent.backup!.roots(io))
      const added = Object.keys(after).filter((path) => !(path in before))
      expect(added.filter((path) => !roots.some((root) => join(io.home, path).startsWith(root)))).toEqual([])
    }
    await fc.assert(
      fc.asyncProperty(mutations, async (mutate) => {
        write(file, mutate(entries), from)
        await attempt()
      }),
      { numRuns: RUNS },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.nat(tar.length - 1),
        fc.integer({ min: 1, max: 255 }),
        fc.boolean(),
        async (at, bits, isCut) => {
          const bytes = Buffer.from(tar)
          bytes[at]! ^= bits
          writeFileSync(file, gzipSync(isCut ? bytes.subarray(0, at) : bytes, { level: 1 }))
          await attempt()
        },
      ),
      { numRuns: RUNS },
    )
  },
)
