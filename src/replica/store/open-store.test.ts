import { expect, test } from 'vitest'
import { scratchIo } from '../../../test/support/scratch.ts'
import { IonError } from '../../platform/error.ts'
import { openStore, parseAddress } from './open-store.ts'

test('addresses name a bucket or a folder', () => {
  expect(
    ['s3://abc', 's3://abc/', 's3://a.b-c/ion', 's3://abc/Team=x/a@b/', 'file:///mnt/share', 'file:///mnt/a%20b/'].map(
      (address) => parseAddress(address),
    ),
  ).toEqual([
    { kind: 's3', bucket: 'abc', prefix: '' },
    { kind: 's3', bucket: 'abc', prefix: '' },
    { kind: 's3', bucket: 'a.b-c', prefix: 'ion/' },
    { kind: 's3', bucket: 'abc', prefix: 'Team=x/a@b/' },
    { kind: 'folder', path: '/mnt/share' },
    { kind: 'folder', path: '/mnt/a b' },
  ])
})

const USUAL = 's3://bucket/prefix or file:///mnt/share/ion'

test.each([
  ['', 'the address of the store is empty', USUAL],
  ['my-bucket', '"my-bucket" is not the address of a store', USUAL],
  ['/mnt/a b', '/mnt/a b is a path, not the address of a store', 'file:///mnt/a%20b'],
  ['gs://bucket', 'Ion cannot keep replicas in gs:// addresses', USUAL],
  [
    'https://s3.example.com/bucket',
    'https://s3.example.com/bucket is a web address; the store is named by its bucket, and its server by AWS_ENDPOINT_URL_S3',
    'AWS_ENDPOINT_URL_S3=https://s3.example.com and s3://bucket/prefix',
  ],
  ['s3://', 'the address names no bucket', USUAL],
  ['s3:///prefix', 'the address names no bucket', USUAL],
  ['s3://ab', '"ab" cannot be the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens', USUAL],
  ['s3://Abc', '"Abc" cannot be the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens', USUAL],
  [
    's3://id:password@bucket/x',
    'credentials do not belong in the address of a store, where other users of this machine can see them',
    'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment, and s3://bucket/prefix',
  ],
  [
    's3://bucket?region=x',
    's3:// addresses have no options',
    'AWS_REGION and AWS_ENDPOINT_URL_S3 in the environment, and s3://bucket/prefix',
  ],
  ['s3://bucket/a//b', 'the prefix has two slashes in a row, or begins with one', USUAL],
  ['s3://bucket/a/../b', '".." cannot be in the prefix: letters, digits and . _ = @ + - between single slashes', USUAL],
  [
    's3://bucket/a\u001b[31m',
    '"a" cannot be in the prefix: letters, digits and . _ = @ + - between single slashes',
    USUAL,
  ],
  [
    'file://mnt/share',
    'file://mnt/share names a host or a relative path, but a folder has to be on this machine or mounted here',
    'file:///mnt/share',
  ],
  ['file:///a?b', 'file:///a?b has a ? or # in it', 'write %3F for ? and %23 for # in a file:// address'],
  ['file:///a%2Fb', 'file:///a%2Fb is not a valid file:// address', USUAL],
  ['file:///a%00b', 'file:///a%00b is not a valid file:// address', USUAL],
  ['file:///', 'the root folder is no place for replicas', 'file:///mnt/share/ion'],
])('%j is refused', (address, message, hint) => {
  expect(() => parseAddress(address)).toThrow(new IonError('usage', message, { hint }))
})

test('what may be a password is not repeated', () => {
  for (const address of [
    'https://id:password@host/x',
    'x://id:password@host',
    'id:password@host',
    's3://id:password@b',
  ]) {
    try {
      parseAddress(address)
      expect.unreachable()
    } catch (error) {
      expect(`${(error as IonError).message} ${(error as IonError).hint}`).not.toContain('password')
    }
  }
})

test('a store has the address by which it was opened', async () => {
  const io = scratchIo(undefined, { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' })
  const addresses = ['s3://bucket', 's3://bucket/a/b', 'file:///mnt/a%20b']
  expect(await Promise.all(addresses.map(async (address) => (await openStore(address, io)).address))).toEqual(addresses)
})
