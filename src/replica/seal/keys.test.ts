import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { failure } from '../../../test/support/failure.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import type { Io } from '../../platform/io.ts'
import { checkPublicKeys, expectedStoreId, findKey, generateKey } from './keys.ts'

/** Of age's documentation; they protect nothing. */
const SECRET = 'AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX'
const PUBLIC = 'age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj'

test('a generated key file is as age-keygen writes it, and can be read', async () => {
  const io = scratchIo()
  const { text, publicKey } = await generateKey(io)
  expect(text).toMatch(
    /^# created: 2026-11-16T00:00:00Z\n# public key: age1[0-9a-z]{58}\nAGE-SECRET-KEY-1[0-9A-Z]{58}\n$/,
  )
  const file = keyFile(io, text)
  const key = await findKey(io, file)
  expect({ source: key?.source, publicKeys: await key?.publicKeys() }).toEqual({
    source: file,
    publicKeys: [publicKey],
  })
  expect((await generateKey(io)).publicKey).not.toBe(publicKey)
})

test('without a key there is none', async () => {
  expect([await findKey(scratchIo()), await findKey(scratchIo(undefined, { ION_REPLICA_KEY: ' ' }))]).toEqual([
    undefined,
    undefined,
  ])
})

test('the environment comes before the file', async () => {
  const io = scratchIo(undefined, { ION_REPLICA_KEY: SECRET })
  const key = await findKey(io, join(io.home, 'missing.txt'))
  expect({ source: key?.source, identities: key?.identities(), publicKeys: await key?.publicKeys() }).toEqual({
    source: 'ION_REPLICA_KEY',
    identities: [SECRET],
    publicKeys: [PUBLIC],
  })
})

test('comments, empty lines, line ends of Windows and several keys are fine in a file and in the environment', async () => {
  const other = (await generateKey(scratchIo())).text.trim().split('\n').at(-1)!
  const text = `# mine\r\n\r\n  ${SECRET}  \r\n# ours\n${other}`
  const io = scratchIo()
  const keys = [await findKey(io, keyFile(io, text)), await findKey(scratchIo(undefined, { ION_REPLICA_KEY: text }))]
  expect(keys.map((key) => key?.identities())).toEqual([
    [SECRET, other],
    [SECRET, other],
  ])
})

test('a path may begin with ~ or be relative to the folder', async () => {
  const io = scratchIo()
  const file = keyFile(io, SECRET)
  const found = await Promise.all(['~/key.txt', 'key.txt', file].map((path) => findKey(io, path)))
  expect(found.map((key) => key?.source)).toEqual([file, file, file])
})

describe('a key file is refused', () => {
  test.each([0o640, 0o604, 0o660, 0o644, 0o620])('with mode %o', async (mode) => {
    const io = scratchIo()
    const file = keyFile(io, SECRET, mode)
    expect(await failure(findKey(io, file))).toEqual({
      kind: 'refused',
      message: `other users may read the key file ${file}`,
      hint: `chmod 600 ${file}, or set ION_REPLICA_KEY where that is not possible`,
    })
  })

  test('behind a link that only looks private', async () => {
    const io = scratchIo()
    symlinkSync(keyFile(io, SECRET, 0o644), join(io.home, 'link'))
    expect(await failure(findKey(io, 'link'))).toMatchObject({ kind: 'refused' })
  })

  test('that does not exist', async () => {
    const io = scratchIo()
    expect(await failure(findKey(io, 'none.txt'))).toEqual({
      kind: 'not-found',
      message: `there is no key file ${join(io.home, 'none.txt')}`,
      hint:
        'check the path: a store opens only with the key that it was created with; ' +
        'for a new one, ion replica key key.txt creates a key file',
    })
  })

  test('that is a folder', async () => {
    const io = scratchIo()
    mkdirSync(join(io.home, 'folder'), { mode: 0o700 })
    expect(await failure(findKey(io, 'folder'))).toMatchObject({ kind: 'failed' })
  })

  test('that is huge', async () => {
    const io = scratchIo()
    expect(await failure(findKey(io, keyFile(io, `${SECRET}\n`.repeat(1000))))).toMatchObject({ kind: 'usage' })
  })

  test('but on Windows its mode means nothing', async () => {
    const io = { ...scratchIo(), platform: 'win32' as const }
    expect((await findKey(io, keyFile(io, SECRET, 0o644)))?.identities()).toEqual([SECRET])
  })
})

const NOT_SECRET = 'it begins with AGE-SECRET-KEY-1; ion replica key key.txt creates a key file'

test.each([
  ['a public key', PUBLIC, 'line 1 of ION_REPLICA_KEY is a public key, which can only encrypt'],
  ['a wrong character', SECRET.replace('EGAEX', 'EGAEA'), 'line 1 of ION_REPLICA_KEY is not a secret key of age'],
  ['lower case', SECRET.toLowerCase(), 'line 1 of ION_REPLICA_KEY is not a secret key of age'],
  ['a path', '/home/dev/key.txt', 'line 1 of ION_REPLICA_KEY is not a secret key of age'],
  ['a second line that is none', `${SECRET}\nrest`, 'line 2 of ION_REPLICA_KEY is not a secret key of age'],
  ['comments only', '# created: today\n', 'ION_REPLICA_KEY contains no key'],
])('ION_REPLICA_KEY with %s is refused, without showing it', async (_title, value, message) => {
  const found = await failure(findKey(scratchIo(undefined, { ION_REPLICA_KEY: value })))
  expect(found).toMatchObject({ kind: 'usage', message })
  if (message.endsWith('secret key of age')) expect(found.hint).toBe(NOT_SECRET)
})

test('a key does not show its text when it is printed, inspected or serialised', async () => {
  const key = await findKey(scratchIo(undefined, { ION_REPLICA_KEY: SECRET }))
  for (const text of [inspect(key, { depth: null, showHidden: true }), JSON.stringify(key), String(key)]) {
    expect(text).not.toContain('AGE-SECRET-KEY')
  }
})

test('recipients are public keys, and a secret key among them is not shown', async () => {
  await checkPublicKeys([PUBLIC])
  const hint = 'a public key begins with age1; age-keygen -y key.txt prints that of a key file'
  expect(await failure(checkPublicKeys([PUBLIC, SECRET]))).toEqual({
    kind: 'usage',
    message: 'recipient 2 is a secret key',
    hint,
  })
  const message = 'recipient 1 is not a public key of age'
  expect(await failure(checkPublicKeys([PUBLIC.replace('nujwj', 'nujwq')]))).toEqual({ kind: 'usage', message, hint })
  expect(await failure(checkPublicKeys(['ssh-ed25519 AAAA']))).toEqual({ kind: 'usage', message, hint })
})

test('the expected id of a store is read from the environment', async () => {
  const id = '0123456789abcdef0123456789abcdef'
  const expected = (value: string) => expectedStoreId(scratchIo(undefined, { ION_REPLICA_ID: value }))
  expect([expected(` ${id}\n`), expected(''), expectedStoreId(scratchIo())]).toEqual([id, undefined, undefined])
  expect(() => expected(SECRET)).toThrow(/^ION_REPLICA_ID is not the id of a store$/)
})

function keyFile(io: Io, text: string, mode = 0o600): string {
  const file = join(io.home, 'key.txt')
  writeFileSync(file, text)
  chmodSync(file, mode)
  return file
}
