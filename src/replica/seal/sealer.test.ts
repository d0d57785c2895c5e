import { createSecretKey } from 'node:crypto'
import { brotliCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  frame,
  nameDocumented,
  openDocumented,
  type PlainRing,
  plainNameDocumented,
  sealDocumented,
  sealPlainDocumented,
} from '../../../test/support/replica-format.ts'
import { EncryptedSealer } from './encrypted-sealer.ts'
import { type KeyRing, newKeyRing, withNewDataKey } from './key-ring.ts'
import { paddedSize } from './padding.ts'
import { PlainSealer } from './plain-sealer.ts'
import { MAX_CONTENT, SealError, type Sealer, type SealProblem } from './sealer.ts'

const fixed: PlainRing = {
  names: Buffer.alloc(32, 7),
  data: [
    { id: '00112233445566ff', key: Buffer.alloc(32, 8) },
    { id: 'a0a1a2a3a4a5a6a7', key: Buffer.alloc(32, 9) },
  ],
}
const STORE_ID = '0123456789abcdef0123456789abcdef'
const KEY = 'tasks/1f/seg-0001'

const kinds: readonly { name: string; create: () => Sealer }[] = [
  { name: 'encrypted', create: () => new EncryptedSealer(newKeyRing()) },
  {
    name: 'plain',
    create: () => new PlainSealer(Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('hex')),
  },
]

const anyContent = fc.oneof(
  fc.uint8Array({ maxLength: 2000 }),
  fc.string({ maxLength: 400, unit: 'binary' }).map((text) => Buffer.from(text.repeat(20), 'utf8')),
  fc.integer({ min: 0, max: 300_000 }).map((size) => Buffer.alloc(size, 'line of a transcript\n')),
)
const anyKey = fc.stringMatching(/^[a-z0-9/._-]{1,80}$/)

describe.each(kinds)('$name', ({ create }) => {
  test('what is sealed is opened, whatever the content and the key', () => {
    const sealer = create()
    fc.assert(
      fc.property(anyKey, anyContent, (key, content) => {
        expect(sealer.open(key, sealer.seal(key, content)).equals(content)).toBe(true)
      }),
    )
  })

  test('bytes that are part of a larger buffer are sealed and opened, and stay as they were', () => {
    const sealer = create()
    const whole = Buffer.from('before|the content|after')
    const sealed = sealer.seal(KEY, whole.subarray(7, 18))
    const within = new Uint8Array(sealed.length + 20)
    within.set(sealed, 10)
    expect(sealer.open(KEY, within.subarray(10, 10 + sealed.length)).toString()).toBe('the content')
    expect([whole.toString(), Buffer.from(within.subarray(10, -10)).equals(sealed)]).toEqual([
      'before|the content|after',
      true,
    ])
  })

  test.each(['', 'short', 'compresses well '.repeat(40)])('every flipped bit is found: %j', (content) => {
    const sealer = create()
    const sealed = sealer.seal(KEY, Buffer.from(content))
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = Buffer.from(sealed)
      changed[bit >> 3]! ^= 1 << (bit & 7)
      expect(() => sealer.open(KEY, changed), `bit ${bit}`).toThrow(SealError)
    }
  })

  test('every cut and every addition is found', () => {
    const sealer = create()
    const sealed = sealer.seal(KEY, Buffer.from('content'))
    for (let size = 0; size < sealed.length; size++) {
      expect(() => sealer.open(KEY, sealed.subarray(0, size)), `first ${size}`).toThrow(SealError)
      expect(() => sealer.open(KEY, sealed.subarray(sealed.length - size)), `last ${size}`).toThrow(SealError)
    }
    expect(problemOf(() => sealer.open(KEY, Buffer.concat([sealed, Buffer.alloc(1)])))).toBe('damaged')
  })

  test('an object at another key is refused', () => {
    const sealer = create()
    fc.assert(
      fc.property(anyKey, anyKey, (key, other) => {
        fc.pre(key !== other)
        expect(problemOf(() => sealer.open(other, sealer.seal(key, Buffer.from('x'))))).toBe('damaged')
      }),
    )
  })

  test('an object of another store of the same kind is refused', () => {
    const [sealer, other] = [create(), create()]
    expect(() => sealer.open(KEY, other.seal(KEY, Buffer.from('x')))).toThrow(SealError)
  })

  test('too much content is refused before it is compressed', () => {
    expect(problemOf(() => create().seal(KEY, new Uint8Array(MAX_CONTENT + 1)))).toBe('too-large')
  })

  test('an object that is larger than any can be is refused before it is decrypted or hashed', () => {
    const sealer = create()
    const huge = new Uint8Array(2 * MAX_CONTENT)
    huge.set(sealer.seal(KEY, Buffer.from('x')))
    expect(problemOf(() => sealer.open(KEY, huge))).toBe('too-large')
  })

  test('an object of a newer format is named as such', () => {
    const sealer = create()
    const sealed = sealer.seal(KEY, Buffer.from('x'))
    sealed[4] = 2
    expect(problemOf(() => sealer.open(KEY, sealed))).toBe('newer')
  })

  test('names are 32 hex digits, the same for the same parts and different for others', () => {
    const sealer = create()
    expect(sealer.name('claude', 'main', '/home/dev/shop')).toMatch(/^[0-9a-f]{32}$/)
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.string()), (parts, others) => {
        const isSame = JSON.stringify(parts) === JSON.stringify(others)
        expect(sealer.name(...parts) === sealer.name(...others)).toBe(isSame)
      }),
      {
        examples: [
          [
            ['ab', 'c'],
            ['a', 'bc'],
          ],
          [['a'], ['a', '']],
          [[], ['']],
        ],
      },
    )
  })
})

test('an object that is not encrypted is refused by an encrypted store, even if its hash is right', () => {
  const sealed = new PlainSealer(STORE_ID).seal(KEY, Buffer.from('forged'))
  expect(problemOf(() => new EncryptedSealer(ringOf(fixed)).open(KEY, sealed))).toBe('unencrypted')
})

test('an encrypted object is refused by a store that is not', () => {
  const sealed = new EncryptedSealer(ringOf(fixed)).seal(KEY, Buffer.from('x'))
  expect(problemOf(() => new PlainSealer(STORE_ID).open(KEY, sealed))).toBe('encrypted')
})

test('nonces are never the same, and one that is exchanged is found', () => {
  const sealer = new EncryptedSealer(ringOf(fixed))
  const [one, other] = [sealer.seal(KEY, Buffer.from('x')), sealer.seal(KEY, Buffer.from('x'))]
  expect(one.equals(other)).toBe(false)
  const exchanged = Buffer.concat([one.subarray(0, 14), other.subarray(14, 26), one.subarray(26)])
  expect(problemOf(() => sealer.open(KEY, exchanged))).toBe('damaged')
})

test('an object whose key id is that of another key of the ring is refused', () => {
  const sealer = new EncryptedSealer(ringOf(fixed))
  const sealed = sealer.seal(KEY, Buffer.from('x'))
  sealed.write(fixed.data[1]!.id, 6, 'hex')
  expect(problemOf(() => sealer.open(KEY, sealed))).toBe('damaged')
})

test('with a new data key old objects stay readable, and an old ring says that it lacks the key of new ones', () => {
  const ring = newKeyRing()
  const [before, after] = [new EncryptedSealer(ring), new EncryptedSealer(withNewDataKey(ring))]
  expect(after.open(KEY, before.seal(KEY, Buffer.from('old'))).toString()).toBe('old')
  expect(problemOf(() => before.open(KEY, after.seal(KEY, Buffer.from('new'))))).toBe('unknown-key')
  expect(after.name('claude', 'main')).toBe(before.name('claude', 'main'))
})

test('neither content nor key can be found in an encrypted object', () => {
  const content = Buffer.from('{"cwd":"/home/dev/secret-project"}')
  const sealed = new EncryptedSealer(ringOf(fixed)).seal(KEY, content)
  expect([sealed.includes('secret-project'), sealed.includes(KEY)]).toEqual([false, false])
})

test('the sizes of encrypted objects are those of padding, and near contents have the same', () => {
  const sealer = new EncryptedSealer(newKeyRing())
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5000 }), (content) => {
      const size = sealer.seal(KEY, content).length - 26 - 16
      expect(size).toBe(paddedSize(size))
      expect(size).toBeLessThanOrEqual(content.length * 1.12 + 300)
    }),
  )
  const sizes = [0, 1, 50, 100, 200].map((size) => sealer.seal(KEY, randomContent(size)).length)
  expect(new Set(sizes)).toEqual(new Set([256 + 26 + 16]))
})

describe('hostile content with a right tag or hash', () => {
  const zeros = new Uint8Array(8 * 1024 * 1024)
  const short = Buffer.from('short')
  const hostile: readonly [string, Buffer, SealProblem][] = [
    ['says that it has 4 GiB', frame(1, 0xffff_ffff, brotliCompressSync(zeros)), 'too-large'],
    ['unpacks to more than it says', frame(1, 100, brotliCompressSync(zeros)), 'damaged'],
    ['unpacks to more than nothing', frame(1, 0, brotliCompressSync(zeros)), 'damaged'],
    ['unpacks to less than it says', frame(1, 100, brotliCompressSync(short)), 'damaged'],
    ['is not compressed as it says', frame(1, 5, Buffer.from('plain')), 'damaged'],
    ['has another size than it says', frame(0, 4, Buffer.from('plain')), 'damaged'],
    ['says that more is stored than there is', frame(0, 500, Buffer.from('plain'), 0, 500), 'damaged'],
    ['ends before what it says is compressed', frame(1, 5, brotliCompressSync(short), 0, 500), 'damaged'],
    ['is stored in an unknown form', frame(2, 5, Buffer.from('plain')), 'damaged'],
    ['is too short', Buffer.alloc(8), 'damaged'],
    ['is empty', Buffer.alloc(0), 'damaged'],
  ]

  test.each(hostile)('%s', async (_title, framed, problem) => {
    const encrypted = await sealDocumented(fixed, KEY, framed, Buffer.alloc(12, 1))
    expect(problemOf(() => new EncryptedSealer(ringOf(fixed)).open(KEY, encrypted))).toBe(problem)
    const plain = await sealPlainDocumented(STORE_ID, KEY, framed)
    expect(problemOf(() => new PlainSealer(STORE_ID).open(KEY, plain))).toBe(problem)
  })
})

test('unpacking stops at the size that an object names', async () => {
  const bomb = await sealPlainDocumented(STORE_ID, KEY, frame(1, 100, brotliCompressSync(new Uint8Array(1024 * 1024))))
  const stopped = expect.objectContaining({ cause: expect.objectContaining({ code: 'ERR_BUFFER_TOO_LARGE' }) })
  expect(() => new PlainSealer(STORE_ID).open(KEY, bomb)).toThrow(stopped)
})

describe('docs/replica-format.md', () => {
  test('an object is read by a program that was written from it, and the other way round', async () => {
    const sealer = new EncryptedSealer(ringOf(fixed))
    for (const content of ['', 'short', 'compresses well '.repeat(1000)]) {
      const sealed = sealer.seal(KEY, Buffer.from(content))
      expect((await openDocumented(fixed, KEY, sealed)).toString()).toBe(content)
      const framed = frame(0, content.length, Buffer.from(content), 100)
      const other = await sealDocumented(fixed, KEY, framed, Buffer.alloc(12, 2))
      expect(sealer.open(KEY, other).toString()).toBe(content)
    }
  })

  test('names are as documented', async () => {
    const parts = ['claude', 'main', '/home/dev/größe']
    expect(new EncryptedSealer(ringOf(fixed)).name(...parts)).toBe(await nameDocumented(fixed, ...parts))
    expect(new PlainSealer(STORE_ID).name(...parts)).toBe(await plainNameDocumented(...parts))
  })
})

/** Written once. If one of these fails, stores that exist can no longer be read: raise the version of the format instead. */
describe('known answers', () => {
  const content = 'Ion replica, known answer. '.repeat(4)
  const answers = {
    names: ['4b988b1724b4d3d4e897558789dccd97', 'f6dad64b860840d2fd70f18bdc129d96'],
    encrypted: [
      'aW9ucgEBABEiM0RVZv9Jw1tbDl/19tKgxAp/sJ22xEm5fZeDG7pFg5LvuMyOb+hXThA1lfr16u22S7360jfim+WzUPT2YA1LYP5K',
      'kA6GaUaAkEz2Bb9YyAb/wWZ7z8GJHq2ex267f9uMPokYpY8DW3P9WofE0tIHu5rQCJPBV8He+v589ISw/gJUjhk0yOHvmI2T3gyQ',
      'GAkyp9dK0hG7tBjqk6Dd6KbvjYRgkgskeKHdfUMFczVNsJyckZP95A9jfLYVoa/w/tu8DYotqLNppLMaWDdr2s5rB9TV4+1SnOOD',
      'WBmhAFNiHg4EEblnP9y6nQM9zimH+qpUkEpBTEK4qDk0VOdLX9qZsCJcMA2p5iX1DkhK+zavbOvX3Ge3fGDIrPW1kNXFBD9vag==',
    ].join(''),
    plain: [
      'aW9ucgEAyhJhqoIpFx4bh7IS2rvSBSeyjEGuvV0miprXQwEX1UoBAAAAbAAAADmLNQAAgKqqqur/dGW4C8jlrpejgIIcBESARUH0',
      'IHAAF79SfIpL7ADWGZTTxPiruCZI9hLGvz6KfTI=',
    ].join(''),
  }

  test('names', () => {
    expect(
      [new EncryptedSealer(ringOf(fixed)), new PlainSealer(STORE_ID)].map((one) => one.name('claude', 'main')),
    ).toEqual(answers.names)
  })

  test('an encrypted object', () => {
    expect(new EncryptedSealer(ringOf(fixed)).open(KEY, fromBase64(answers.encrypted)).toString()).toBe(content)
  })

  test('a plain object', () => {
    expect(new PlainSealer(STORE_ID).open(KEY, fromBase64(answers.plain)).toString()).toBe(content)
  })
})

function problemOf(open: () => unknown): SealProblem | undefined {
  try {
    open()
  } catch (error) {
    if (error instanceof SealError) return error.problem
    throw error
  }
  return undefined
}

function ringOf({ names, data: [newest, ...older] }: PlainRing): KeyRing {
  const secret = ({ id, key }: PlainRing['data'][number]) => ({ id, key: createSecretKey(key) })
  return { names: createSecretKey(names), data: [secret(newest!), ...older.map(secret)] }
}

function randomContent(size: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(size))
}

function fromBase64(text: string): Buffer {
  return Buffer.from(text, 'base64')
}
