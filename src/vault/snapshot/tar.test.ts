import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scratchFolder } from '../../../test/support/scratch.ts'
import { parseHeader, tarHeader } from './tar-header.ts'
import { readTar } from './tar-reader.ts'
import { TarWriter } from './tar-writer.ts'

const AT = new Date('2026-11-16T00:00:00Z')

function write(path: string, files: readonly (readonly [name: string, content: Buffer])[]): void {
  const writer = new TarWriter(path, AT)
  for (const [name, content] of files) writer.add(name, content.length, [content])
  writer.finish(true)
}

async function read(path: string): Promise<[name: string, content: Buffer][]> {
  const found: [string, Buffer][] = []
  for await (const { name, content } of readTar(path)) {
    const pieces: Buffer[] = []
    for await (const piece of content) pieces.push(piece)
    found.push([name, Buffer.concat(pieces)])
  }
  return found
}

const names = fc
  .array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join('/'))
  .filter((name) => !/[\\\0]/.test(name) && name.split('/').every((part) => !['', '.', '..'].includes(part)))
const contents = fc.uint8Array({ maxLength: 2000 }).map((bytes) => Buffer.from(bytes))

test('any names and bytes are read back as written', async () => {
  const folder = scratchFolder()
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(names, contents), { maxLength: 6 }), async (files) => {
      const path = join(folder, 'a.tar.gz')
      write(path, files)
      expect(await read(path)).toEqual(files)
    }),
    { numRuns: 60 },
  )
})

test('files that span several gzip members; one may be skipped', async () => {
  const path = join(scratchFolder(), 'a.tar.gz')
  const large = Buffer.alloc(3_500_000, 'abcdefg')
  write(path, [
    ['a', large],
    ['b', Buffer.from('b')],
  ])
  const found: string[] = []
  for await (const { name, content } of readTar(path)) {
    found.push(name)
    // Only the first piece of it.
    for await (const _ of content) break
  }
  expect(found).toEqual(['a', 'b'])
  expect((await read(path))[0]![1].equals(large)).toBe(true)
  expect([statSync(path).mode & 0o777, readdirSync(join(path, '..'))]).toEqual([0o600, ['a.tar.gz']])
})

test('the tar program lists it', () => {
  const path = join(scratchFolder(), 'a.tar.gz')
  const long = `${'x'.repeat(90)}/${'y'.repeat(90)}/é.jsonl`
  write(path, [
    ['short', Buffer.from('1')],
    [long, Buffer.from('22')],
  ])
  const said = execFileSync('tar', ['tzf', path], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C.UTF-8' } })
  expect(said.replaceAll('\\303\\251', 'é').trim().split('\n')).toEqual(['short', long])
})

test('a size beyond the limit of the ustar header', () => {
  const size = 2 ** 40 + 7
  const bytes = tarHeader({ name: 'huge', size }, 0)
  expect(bytes.length).toBe(3 * 512)
  expect(bytes.toString('latin1', 512, 1024)).toContain(`size=${size}\n`)
  expect(parseHeader(bytes.subarray(1024))).toEqual({ name: 'huge', size: 8 ** 11 - 1, isPax: false })
})

test('an existing file is not replaced, and nothing is left of the attempt', () => {
  const folder = scratchFolder()
  const path = join(folder, 'a.tar.gz')
  writeFileSync(path, 'mine')
  const writer = new TarWriter(path, AT)
  expect(() => writer.finish(false)).toThrow('already exists')
  writer.abandon()
  expect([readdirSync(folder), readFileSync(path, 'utf8')]).toEqual([['a.tar.gz'], 'mine'])
})

/** A tar with one file whose header was changed, with a valid checksum. */
function forged(change: (block: Buffer) => void): string {
  const block = tarHeader({ name: 'name', size: 0 }, 0)
  change(block)
  block.write('        ', 148, 'latin1')
  const sum = block.reduce((all, byte) => all + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  const path = join(scratchFolder(), 'forged.tar.gz')
  writeFileSync(path, gzipSync(Buffer.concat([block, Buffer.alloc(1024)])))
  return path
}

test.each([
  ['a link', (block: Buffer) => block.write('2', 156), 'is a link'],
  ['a hard link', (block: Buffer) => block.write('1', 156), 'is a link'],
  ['a folder', (block: Buffer) => block.write('5', 156), 'is not a file'],
  ['a device', (block: Buffer) => block.write('3', 156), 'is not a file'],
  ['an absolute name', (block: Buffer) => block.write('/etc', 0), 'unsafe path'],
  ['a path outside', (block: Buffer) => block.write('../a', 0), 'unsafe path'],
  ['a backslash', (block: Buffer) => block.write('a\\..', 0), 'unsafe path'],
  ['no number', (block: Buffer) => block.write('9', 130), 'invalid number'],
  ['a number in base 256', (block: Buffer) => block.writeUInt8(0x80, 124), 'invalid number'],
  ['more than there is', (block: Buffer) => block.write('00000007777\0', 124), 'truncated'],
])('%s is refused', async (_name, change, words) => {
  await expect(read(forged(change))).rejects.toThrow(words)
})

test('every truncation and every flipped bit is noticed', async () => {
  const folder = scratchFolder()
  const path = join(folder, 'a.tar.gz')
  write(path, [['a', Buffer.from('some text that is long enough to be changed')]])
  const whole = readFileSync(path)
  const before = await read(path)
  const bad = join(folder, 'bad.tar.gz')
  let noticed = 0
  for (let at = 0; at < whole.length; at++) {
    writeFileSync(bad, whole.subarray(0, at))
    await expect(read(bad)).rejects.toThrow()
    const flipped = Buffer.from(whole)
    flipped.writeUInt8(flipped[at]! ^ 4, at)
    writeFileSync(bad, flipped)
    const found = await read(bad).catch(() => undefined)
    // Some bits do not matter: the time in the header, or which of many zeros are repeated.
    if (found) expect(found).toEqual(before)
    else noticed++
  }
  expect(noticed).toBeGreaterThan(whole.length - 20)
  expect(gunzipSync(whole).length % 512).toBe(0)
})
