import { writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Fault, STUB_BUCKET, type StubServer, startStub } from '../../../test/s3/stub-server.ts'
import { scratchFolder } from '../../../test/support/scratch.ts'
import { realIo } from '../../platform/io.ts'
import type { ObjectStore } from './object-store.ts'
import { StoreError } from './object-store.ts'
import { requireConditions } from './require-conditions.ts'
import type { Patience } from './s3-client.ts'
import { openS3Store } from './s3-store.ts'

/** Long enough for a busy machine, and no waits to speak of. */
const PATIENT: Patience = { attempts: 3, firstWaitMs: 1, deadlineMs: 60_000 }
const HASTY: Patience = { attempts: 1, firstWaitMs: 1, deadlineMs: 100 }

function storeOn(
  stub: Pick<StubServer, 'env'>,
  patience: Patience = PATIENT,
  bucket: string = STUB_BUCKET,
): ObjectStore {
  return openS3Store({ bucket, prefix: 'p/' }, { ...realIo(), home: scratchFolder(), env: stub.env }, patience)
}

const text = (content: string): Buffer => Buffer.from(content)

async function keysOf(store: ObjectStore): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of store.list('')) keys.push(key)
  return keys
}

interface Failure {
  readonly kind: string
  readonly message: string
  readonly hint: string | undefined
  readonly isTemporary: boolean
}

async function failure(work: Promise<unknown>): Promise<Failure> {
  const error = await work.then(
    () => expect.unreachable('it worked'),
    (reason: unknown) => reason,
  )
  if (!(error instanceof StoreError)) throw error
  const { kind, message, hint, isTemporary } = error
  return { kind, message, hint, isTemporary }
}

describe('a temporary failure is hidden by another attempt', () => {
  const faults: [string, Fault][] = [
    ['an internal error', { answer: 500, code: 'InternalError' }],
    ['an overloaded server', { answer: 503, code: 'SlowDown' }],
    ['a broken gateway', { answer: 502, body: '<html>Bad Gateway</html>' }],
    ['two conditional puts that met', { answer: 409, code: 'ConditionalRequestConflict' }],
    ['a connection reset before the effect', 'reset before'],
    ['a connection reset after the effect', 'reset after'],
    ['an answer that is cut off', 'cut the answer'],
  ]
  test.each(faults)('%s', async (_, fault) => {
    const stub = await startStub()
    const store = storeOn(stub)
    const fail = (): void => void stub.faults.push({ on: /./, fault })
    fail()
    const first = await store.put('a', text('1'), { isNew: true })
    fail()
    const second = await store.put('a', text('2'), { tag: first })
    fail()
    await store.put('b/c', text('3'))
    fail()
    expect(await store.get('a')).toEqual({ bytes: text('2'), tag: second, ageMs: expect.any(Number) })
    fail()
    expect(await keysOf(store)).toEqual(['a', 'b/c'])
    fail()
    expect(await store.folders('')).toEqual(['b'])
    fail()
    await store.remove(['a'])
    expect([...stub.objects.keys()]).toEqual(['p/b/c'])
    expect(stub.faults).toEqual([])
    expect(store.usage.requests).toBe(stub.requests.length)
  })
})

test('a server that does not answer is asked again', async () => {
  const stub = await startStub()
  stub.faults.push({ on: /^GET/, fault: 'hang' })
  const store = storeOn(stub, { ...PATIENT, attempts: 20, deadlineMs: 500 })
  expect(await store.get('none')).toBeUndefined()
})

describe('a conditional put of which the answer was lost', () => {
  test('is not reported as a conflict with itself', async () => {
    const stub = await startStub()
    const store = storeOn(stub)
    stub.faults.push({ on: /^PUT/, fault: 'reset after' })
    const first = await store.put('lease', text('1'), { isNew: true })
    stub.faults.push({ on: /^PUT/, fault: 'reset after' })
    const second = await store.put('lease', text('2'), { tag: first })
    expect(await store.get('lease')).toMatchObject({ bytes: text('2'), tag: second })
    expect(stub.requests).toEqual([
      ...['PUT bucket/p/lease', 'PUT bucket/p/lease', 'GET bucket/p/lease'],
      ...['PUT bucket/p/lease', 'PUT bucket/p/lease', 'GET bucket/p/lease'],
      'GET bucket/p/lease',
    ])
  })

  test('is a conflict if another one won', async () => {
    const stub = await startStub()
    const [store, other] = [storeOn(stub), storeOn(stub)]
    await other.put('lease', text('theirs'))
    stub.faults.push({ on: /^PUT/, fault: 'reset before' })
    expect(await failure(store.put('lease', text('ours'), { isNew: true }))).toEqual({
      kind: 'conflict',
      message: 'lease in s3://bucket/p was put by another process in the meantime',
      hint: undefined,
      isTemporary: false,
    })
    expect((await store.get('lease'))?.bytes).toEqual(text('theirs'))
  })
})

const ADDRESS = 's3://bucket/p'

describe('what is wrong is said', () => {
  const cases: [string, Fault, Omit<Failure, 'isTemporary'>][] = [
    [
      'access denied',
      { answer: 403, code: 'AccessDenied' },
      {
        kind: 'denied',
        message: `${ADDRESS} refuses access: AccessDenied`,
        hint: 'allow these keys s3:ListBucket on the bucket "bucket", and s3:GetObject, s3:PutObject and s3:DeleteObject in it',
      },
    ],
    [
      'an expired token',
      { answer: 400, code: 'ExpiredToken' },
      {
        kind: 'denied',
        message: `${ADDRESS} does not accept the session token any more: ExpiredToken`,
        hint: 'get new temporary credentials and set AWS_SESSION_TOKEN with them',
      },
    ],
    [
      'no space',
      { answer: 507, body: '' },
      {
        kind: 'full',
        message: `${ADDRESS} is full: HTTP 507`,
        hint: 'raise its quota, or remove what is not needed from it',
      },
    ],
    [
      'another region, by a redirect',
      { answer: 301, code: 'PermanentRedirect', headers: { 'x-amz-bucket-region': 'eu-west-3' } },
      {
        kind: 'failed',
        message: 'the bucket "bucket" is in the region eu-west-3, not in us-east-1',
        hint: 'set AWS_REGION=eu-west-3',
      },
    ],
    [
      'another region, by an error',
      {
        answer: 400,
        body: '<Error><Code>AuthorizationHeaderMalformed</Code><Message>m</Message><Region>eu-west-3</Region></Error>',
      },
      {
        kind: 'failed',
        message: 'the bucket "bucket" is in the region eu-west-3, not in us-east-1',
        hint: 'set AWS_REGION=eu-west-3',
      },
    ],
    [
      'another region that is not named',
      { answer: 307, body: '' },
      {
        kind: 'failed',
        message: 'the bucket "bucket" is not in the region us-east-1',
        hint: 'set AWS_REGION to the region of the bucket',
      },
    ],
  ]
  test.each(cases)('%s', async (_, fault, expected) => {
    const stub = await startStub()
    stub.faults.push({ on: /./, fault })
    expect(await failure(storeOn(stub).put('a', text('1')))).toEqual({ ...expected, isTemporary: false })
    expect(stub.requests).toHaveLength(1)
  })

  test('a server that is overloaded all the time', async () => {
    const stub = await startStub()
    for (let i = 0; i < 3; i++) stub.faults.push({ on: /./, fault: { answer: 503, code: 'SlowDown' } })
    expect(await failure(storeOn(stub).get('a'))).toEqual({
      kind: 'slow',
      message: `${ADDRESS} is overloaded: SlowDown`,
      hint: 'try again later',
      isTemporary: true,
    })
    expect(stub.requests).toHaveLength(3)
  })

  test('a server that never answers', async () => {
    const stub = await startStub()
    stub.faults.push({ on: /./, fault: 'hang' })
    expect(await failure(storeOn(stub, { ...HASTY, deadlineMs: 1000 }).get('a'))).toEqual({
      kind: 'slow',
      message: `${ADDRESS} did not answer within 1 s`,
      hint: 'check the network, or try again later',
      isTemporary: true,
    })
  })

  test('no server', async () => {
    const endpoint = `http://127.0.0.1:${await closedPort()}`
    const env = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret', AWS_ENDPOINT_URL: endpoint }
    expect(await failure(storeOn({ env }).get('a'))).toEqual({
      kind: 'unreachable',
      message: `cannot reach ${endpoint} for ${ADDRESS}: connect ECONNREFUSED ${endpoint.slice(7)}`,
      hint: 'check the network and AWS_ENDPOINT_URL_S3',
      isTemporary: true,
    })
  })

  test('no bucket', async () => {
    const stub = await startStub()
    const expected = {
      kind: 'missing',
      message: `there is no bucket "other" on ${stub.endpoint}`,
      hint: `aws s3 mb s3://other --endpoint-url ${stub.endpoint}`,
      isTemporary: false,
    }
    const store = storeOn(stub, PATIENT, 'other')
    expect([
      await failure(store.get('a')),
      await failure(store.put('a', text('1'), { tag: '"x"' })),
      await failure(keysOf(store)),
      await failure(store.remove(['a'])),
    ]).toEqual([expected, expected, expected, expected])
  })

  test('wrong keys, without repeating them', async () => {
    const stub = await startStub()
    const hint = 'check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile in ~/.aws/credentials'
    const withEnv = (env: Record<string, string>): Promise<Failure> =>
      failure(storeOn({ env: { ...stub.env, ...env } }).get('a'))
    expect([
      await withEnv({ AWS_ACCESS_KEY_ID: 'another' }),
      await withEnv({ AWS_SECRET_ACCESS_KEY: 'another' }),
    ]).toEqual([
      {
        kind: 'denied',
        message: `${ADDRESS} does not accept the access key: The access key is not known (InvalidAccessKeyId)`,
        hint,
        isTemporary: false,
      },
      {
        kind: 'denied',
        message: `${ADDRESS} does not accept the access key: The signature is wrong (SignatureDoesNotMatch)`,
        hint,
        isTemporary: false,
      },
    ])
    const token = { ...stub.env, AWS_SESSION_TOKEN: 'token' }
    expect(await storeOn({ env: token }).get('a')).toBeUndefined()
  })

  test('an access key that versitygw does not know', async () => {
    const stub = await startStub()
    stub.faults.push({ on: /./, fault: { answer: 404, code: 'XAdminUserNotFound' } })
    expect(await failure(storeOn(stub).get('a'))).toMatchObject({
      kind: 'denied',
      message: expect.stringContaining(`${ADDRESS} does not accept the access key: `),
    })
  })

  test('https:// for a server that has no TLS', async () => {
    const stub = await startStub()
    const endpoint = stub.endpoint.replace('http:', 'https:')
    expect(await failure(storeOn({ env: { ...stub.env, AWS_ENDPOINT_URL_S3: endpoint } }).get('a'))).toEqual({
      kind: 'unreachable',
      message: `there is no TLS connection with ${endpoint} for ${ADDRESS}`,
      hint: `if the server has none: AWS_ENDPOINT_URL_S3=${stub.endpoint}`,
      isTemporary: true,
    })
  })

  test('a wrong clock', async () => {
    const stub = await startStub()
    const hint = 'set the clock, for instance with: timedatectl set-ntp true'
    const common = { kind: 'clock', hint, isTemporary: false }
    const at = (clockMs: number): Promise<Failure> => {
      stub.clockMs = clockMs
      return failure(storeOn(stub).get('a'))
    }
    // In the middle of what is rounded to the same, as machines are slow.
    expect([await at(90.2 * 60_000), await at(-20.2 * 60_000), await at(72 * 3_600_000)]).toEqual([
      {
        ...common,
        message: `the clock of this machine is behind that of ${ADDRESS} by 1 h 30 min, so it refuses all requests`,
      },
      {
        ...common,
        message: `the clock of this machine is ahead of that of ${ADDRESS} by 20 min, so it refuses all requests`,
      },
      {
        ...common,
        message: `the clock of this machine is behind that of ${ADDRESS} by 3 days, so it refuses all requests`,
      },
    ])
  })

  test('a full bucket, in which objects can still be read and removed', async () => {
    const stub = await startStub()
    const store = storeOn(stub)
    stub.quota = 10
    await store.put('a', text('12345678'))
    expect((await failure(store.put('b', text('12345678')))).kind).toBe('full')
    expect((await store.get('a'))?.bytes).toEqual(text('12345678'))
    await store.remove(['a'])
    await store.put('b', text('12345678'))
  })

  test('something that is not S3, instead of missing objects', async () => {
    const stub = await startStub()
    const store = storeOn(stub)
    const page = (answer: number): void =>
      void stub.faults.push({ on: /./, fault: { answer, body: '<html>\u001b[31m</html>' } })
    page(404)
    expect(await failure(store.get('a'))).toEqual({
      kind: 'failed',
      message: `${ADDRESS} does not work: HTTP 404`,
      hint: `check that ${stub.endpoint} is the S3 server you want (AWS_ENDPOINT_URL_S3)`,
      isTemporary: false,
    })
    const notS3 = {
      kind: 'unsupported',
      isTemporary: false,
      hint: 'check AWS_ENDPOINT_URL_S3, or use another S3 server',
    }
    page(200)
    expect(await failure(store.get('a'))).toEqual({
      ...notS3,
      message: `${stub.endpoint} does not answer as S3 does: it gives objects no ETag`,
    })
    page(200)
    expect(await failure(keysOf(store))).toEqual({
      ...notS3,
      message: `${stub.endpoint} does not answer as S3 does: its list of objects cannot be read`,
    })
  })

  test('a server that ignores conditions', async () => {
    const stub = await startStub()
    await requireConditions(storeOn(stub))
    stub.ignoresConditions = true
    expect(await failure(requireConditions(storeOn(stub)))).toEqual({
      kind: 'unsupported',
      message: `${ADDRESS} ignores conditional puts, which Ion needs so that one workspace at a time writes`,
      hint: 'use a server that supports If-None-Match and If-Match, such as Amazon S3, Cloudflare R2 or MinIO',
      isTemporary: false,
    })
    expect(stub.objects.size).toBe(0)
  })
})

test('credentials that were replaced in their file are used without a restart', async () => {
  const stub = await startStub()
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, ...rest } = stub.env
  const file = join(scratchFolder(), 'credentials')
  const write = (key: string): void =>
    writeFileSync(file, `[default]\naws_access_key_id = ${key}\naws_secret_access_key = ${secret}\n`)
  write('expired')
  const store = storeOn({ env: { ...rest, AWS_SHARED_CREDENTIALS_FILE: file } })
  expect((await failure(store.get('a'))).kind).toBe('denied')
  expect(stub.requests).toHaveLength(1)
  write(id!)
  expect(await store.get('a')).toBeUndefined()
  expect(stub.requests).toHaveLength(3)
})

test('an error of a store is one of Ion, with what to type', () => {
  const error = new StoreError('missing', 'there is no bucket "b"', { hint: 'aws s3 mb s3://b' })
  expect(error.toIonError()).toMatchObject({
    kind: 'not-found',
    message: error.message,
    hint: error.hint,
    cause: error,
  })
})

test('ages are by the clock of the server', async () => {
  const stub = await startStub()
  const store = storeOn(stub)
  stub.clockMs = -600_000
  await store.put('a', text('1'))
  stub.clockMs = 600_000
  const ages: number[] = [(await store.get('a'))!.ageMs]
  for await (const { ageMs } of store.list('')) ages.push(ageMs)
  for (const age of ages) expect(Math.abs(age - 1_200_000)).toBeLessThan(60_000)
})

test('objects that Ion did not put are left out of lists', async () => {
  const stub = await startStub()
  const store = storeOn(stub)
  await store.put('a/b', text('1'))
  for (const key of ['p/A', 'p/x&y', 'p/<Key>', 'p/Folder/x', 'p/', 'other/a']) {
    stub.objects.set(key, { bytes: text(''), etag: '"e"', modified: 0 })
  }
  expect([await keysOf(store), await store.folders('')]).toEqual([['a/b'], ['a']])
})

test('a key with other characters is a mistake in the program', async () => {
  const store = storeOn(await startStub())
  for (const key of ['', '/a', 'a/', 'a//b', 'A', 'a b', '../a', 'a/./b', 'a~', 'ü']) {
    await expect(store.get(key)).rejects.toThrow(TypeError)
  }
})

function closedPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
