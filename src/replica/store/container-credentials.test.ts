import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { STUB_BUCKET, startStub } from '../../../test/s3/stub-server.ts'
import { failure } from '../../../test/support/failure.ts'
import { scratchFolder, scratchIo } from '../../../test/support/scratch.ts'
import { credentialEndpoint } from './container-credentials.ts'
import type { ObjectStore } from './object-store.ts'
import { openS3Store } from './s3-store.ts'

interface Answer {
  readonly status?: number
  readonly body: unknown
}

/** As in a container: what gives credentials on this machine. */
async function startEndpoint(answer: () => Answer): Promise<{ url: string; authorizations: (string | undefined)[] }> {
  const authorizations: (string | undefined)[] = []
  const server = createServer((request, response) => {
    authorizations.push(request.headers.authorization)
    const { status = 200, body } = answer()
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    return new Promise((resolve) => void server.close(() => resolve()))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/credentials`, authorizations }
}

function storeWith(env: Record<string, string | undefined>): ObjectStore {
  const io = { ...scratchIo(), env, now: () => new Date() }
  return openS3Store({ bucket: STUB_BUCKET, prefix: '' }, io, { attempts: 3, firstWaitMs: 1, deadlineMs: 60_000 })
}

const inFuture = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString()

test('credentials of the container, with its token; asked once until they are about to expire', async () => {
  const { env: stubEnv } = await startStub()
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, ...rest } = stubEnv
  let minutes = 60
  const { url, authorizations } = await startEndpoint(() => ({
    body: {
      AccessKeyId: AWS_ACCESS_KEY_ID,
      SecretAccessKey: AWS_SECRET_ACCESS_KEY,
      Token: 'session',
      Expiration: inFuture(minutes),
    },
  }))
  const tokenFile = join(scratchFolder(), 'token')
  writeFileSync(tokenFile, 'first\n')
  const env = {
    ...rest,
    AWS_CONTAINER_CREDENTIALS_FULL_URI: url,
    AWS_CONTAINER_AUTHORIZATION_TOKEN: 'not this one',
    AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: tokenFile,
  }
  const store = storeWith(env)
  await Promise.all([store.put('a', Buffer.from('1')), store.get('b')])
  expect((await store.get('a'))!.bytes.toString()).toBe('1')
  expect(authorizations).toEqual(['first'])

  minutes = 4
  const short = storeWith(env)
  await short.get('a')
  writeFileSync(tokenFile, 'second')
  await short.get('a')
  expect(authorizations.slice(1)).toEqual(['first', 'second'])
})

test('credentials that are refused are asked for again', async () => {
  const { env: stubEnv, requests } = await startStub()
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, ...rest } = stubEnv
  let isRotated = false
  const { url } = await startEndpoint(() => {
    const body = { AccessKeyId: isRotated ? AWS_ACCESS_KEY_ID : 'expired', SecretAccessKey: AWS_SECRET_ACCESS_KEY }
    return { body }
  })
  const store = storeWith({ ...rest, AWS_CONTAINER_CREDENTIALS_FULL_URI: url })
  expect(await failure(store.get('a'))).toMatchObject({ kind: 'denied' })
  expect(requests).toHaveLength(1)
  isRotated = true
  expect(await store.get('a')).toBeUndefined()
  expect(requests).toHaveLength(3)
})

test('keys of the environment and of a profile come first', async () => {
  const { env } = await startStub()
  const { url, authorizations } = await startEndpoint(() => ({ status: 500, body: {} }))
  expect(await storeWith({ ...env, AWS_CONTAINER_CREDENTIALS_FULL_URI: url }).get('a')).toBeUndefined()
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, ...rest } = env
  const file = join(scratchFolder(), 'credentials')
  writeFileSync(file, `[default]\naws_access_key_id = ${id}\naws_secret_access_key = ${secret}\n`)
  const inFile = { ...rest, AWS_SHARED_CREDENTIALS_FILE: file, AWS_CONTAINER_CREDENTIALS_FULL_URI: url }
  expect(await storeWith(inFile).get('a')).toBeUndefined()
  expect(authorizations).toEqual([])
})

test('what goes wrong is explained, without the token', async () => {
  const { env } = await startStub()
  const { AWS_ACCESS_KEY_ID: _id, AWS_SECRET_ACCESS_KEY: _secret, ...rest } = env
  let answer: Answer = { body: {} }
  const { url, authorizations } = await startEndpoint(() => answer)
  const { origin } = new URL(url)
  const ask = async (more: Record<string, string> = {}): Promise<{ kind: string; message: string }> => {
    const { kind, message } = await failure(
      storeWith({ ...rest, AWS_CONTAINER_CREDENTIALS_FULL_URI: url, ...more }).get('a'),
    )
    return { kind, message }
  }
  const from = `cannot get credentials from ${origin}: `
  expect(await ask()).toEqual({ kind: 'denied', message: `${from}its answer has no keys` })
  answer = { status: 403, body: { message: 'the token is not valid' } }
  expect(await ask()).toEqual({ kind: 'denied', message: `${from}the token is not valid` })
  const asked = authorizations.length
  answer = { status: 503, body: {} }
  expect(await ask()).toEqual({ kind: 'unreachable', message: `${from}HTTP 503` })
  // It may be about to start.
  expect(authorizations.length - asked).toBe(3)
  expect(await ask({ AWS_CONTAINER_AUTHORIZATION_TOKEN: 'a secret\nand more' })).toEqual({
    kind: 'denied',
    message: `${from}its token has several lines`,
  })
  const missing = join(scratchFolder(), 'token')
  expect((await ask({ AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: missing })).message).toContain('its token cannot be read')
})

test('only addresses that may give credentials are asked', () => {
  const urlOf = (env: Record<string, string>): string | undefined => credentialEndpoint(env)?.url.href
  const full = (uri: string): string | undefined => urlOf({ AWS_CONTAINER_CREDENTIALS_FULL_URI: uri })
  expect(urlOf({})).toBeUndefined()
  expect(urlOf({ AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/x?id=1' })).toBe('http://169.254.170.2/v2/x?id=1')
  for (const uri of [
    'http://169.254.170.23/v1',
    'http://[fd00:ec2::23]/v1',
    'http://[::1]:80/',
    'https://example.com/',
  ])
    expect(full(uri)).toBe(new URL(uri).href)
  for (const uri of ['http://example.com/', 'http://127.0.0.1.example.com/', 'ftp://localhost/', 'credentials'])
    expect(() => full(uri), uri).toThrow('AWS_CONTAINER_CREDENTIALS_FULL_URI is not an address')
  expect(() => urlOf({ AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: 'http://example.com/' })).toThrow('RELATIVE_URI is not')
})
