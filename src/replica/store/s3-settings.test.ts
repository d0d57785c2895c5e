import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchIo } from '../../../test/support/scratch.ts'
import { IonError } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { bucketUrl } from './s3-client.ts'
import { s3Settings } from './s3-settings.ts'

function ioWith(env: Record<string, string>, files: Record<string, string> = {}): Io {
  const io = scratchIo(undefined, env)
  mkdirSync(join(io.home, '.aws'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(io.home, '.aws', name), text)
  return io
}

function problem(io: Io): { message: string; hint: string | undefined } {
  try {
    s3Settings(io)
  } catch (error) {
    if (error instanceof IonError) return { message: error.message.replaceAll(io.home, '~'), hint: error.hint }
    throw error
  }
  throw new Error('no error')
}

const KEYS = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' }
const FILES = {
  credentials: `[default]\naws_access_key_id=default-id\naws_secret_access_key=default-secret
[team]\naws_access_key_id=team-id\naws_secret_access_key=team-secret\naws_session_token=team-token`,
  config: `[default]\nregion=eu-west-1\naws_access_key_id=hidden
[profile team]\nregion=eu-central-1\nendpoint_url=https://s3.example.com
[profile sso]\nsso_session=corp`,
}

test('settings come from the environment', () => {
  expect(s3Settings(ioWith(KEYS))).toEqual({
    credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
    region: 'us-east-1',
    endpoint: undefined,
  })
  const env = { ...KEYS, AWS_SESSION_TOKEN: 'token', AWS_DEFAULT_REGION: 'r1', AWS_ENDPOINT_URL: 'http://127.0.0.1:1' }
  expect(s3Settings(ioWith(env, FILES))).toEqual({
    credentials: { accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: 'token' },
    region: 'r1',
    endpoint: new URL('http://127.0.0.1:1'),
  })
  const more = { ...env, AWS_REGION: 'r2', AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:2/s3/' }
  expect(s3Settings(ioWith(more))).toMatchObject({ region: 'r2', endpoint: new URL('http://127.0.0.1:2/s3/') })
})

test('settings come from the profile', () => {
  expect(s3Settings(ioWith({}, FILES))).toEqual({
    credentials: { accessKeyId: 'default-id', secretAccessKey: 'default-secret' },
    region: 'eu-west-1',
    endpoint: undefined,
  })
  expect(s3Settings(ioWith({ AWS_PROFILE: 'team' }, FILES))).toEqual({
    credentials: { accessKeyId: 'team-id', secretAccessKey: 'team-secret', sessionToken: 'team-token' },
    region: 'eu-central-1',
    endpoint: new URL('https://s3.example.com'),
  })
})

test('missing settings are explained', () => {
  expect([
    problem(ioWith({})),
    problem(ioWith({ AWS_ACCESS_KEY_ID: 'id' })),
    problem(ioWith({ AWS_SECRET_ACCESS_KEY: 'secret' })),
    problem(ioWith({ AWS_PROFILE: 'none' }, FILES)),
    problem(ioWith({ AWS_PROFILE: 'sso' }, FILES)),
    problem(ioWith({ ...KEYS, AWS_ENDPOINT_URL_S3: 's3.example.com' })),
    problem(ioWith({ ...KEYS, AWS_ENDPOINT_URL_S3: 'https://user:password@s3.example.com' })),
  ]).toEqual([
    {
      message: 'no credentials for S3 were found in the environment or in ~/.aws/credentials',
      hint: 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE',
    },
    {
      message: 'AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is not',
      hint: 'set AWS_SECRET_ACCESS_KEY, or unset AWS_ACCESS_KEY_ID',
    },
    {
      message: 'AWS_SECRET_ACCESS_KEY is set, but AWS_ACCESS_KEY_ID is not',
      hint: 'set AWS_ACCESS_KEY_ID, or unset AWS_SECRET_ACCESS_KEY',
    },
    {
      message: 'there is no profile "none" in ~/.aws/credentials and ~/.aws/config',
      hint: 'aws configure --profile none, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    },
    {
      message: 'the profile "sso" gets its keys by sso_session, which Ion does not read',
      hint: 'eval "$(aws configure export-credentials --profile sso --format env)"',
    },
    ...Array.from({ length: 2 }, () => ({
      message: 'the endpoint of S3 is not a plain http:// or https:// address',
      hint: 'AWS_ENDPOINT_URL_S3=https://s3.example.com',
    })),
  ])
})

test('Amazon has a host for each bucket, other servers a path', () => {
  const url = (bucket: string, region: string, endpoint?: string): string =>
    bucketUrl(bucket, { region, endpoint: endpoint === undefined ? undefined : new URL(endpoint) }).href
  expect([
    url('my-bucket', 'eu-west-1'),
    url('my.bucket', 'eu-west-1'),
    url('my-bucket', 'cn-north-1'),
    url('my-bucket', 'auto', 'https://s3.example.com'),
    url('my-bucket', 'auto', 'http://[::1]:9000/base/'),
  ]).toEqual([
    'https://my-bucket.s3.eu-west-1.amazonaws.com/',
    'https://s3.eu-west-1.amazonaws.com/my.bucket/',
    'https://my-bucket.s3.cn-north-1.amazonaws.com.cn/',
    'https://s3.example.com/my-bucket/',
    'http://[::1]:9000/base/my-bucket/',
  ])
})
