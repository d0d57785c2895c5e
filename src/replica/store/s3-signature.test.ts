import { expect, test } from 'vitest'
import { encodePart, queryString, signedHeaders, type UnsignedRequest } from './s3-signature.ts'

// The examples of Amazon's documentation, "Signature Calculations for the Authorization Header".
const credentials = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
}
const now = new Date('2013-05-24T00:00:00Z')

function authorization(request: Partial<UnsignedRequest>): string {
  const common = {
    method: 'GET',
    host: 'examplebucket.s3.amazonaws.com',
    path: '/',
    query: {},
    headers: {},
    body: Buffer.alloc(0),
  }
  return signedHeaders({ ...common, ...request }, credentials, 'us-east-1', now).authorization!
}

const scope = 'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request'

test('signs the examples of the documentation as it does', () => {
  expect([
    authorization({ path: '/test.txt', headers: { range: 'bytes=0-9' } }),
    authorization({
      method: 'PUT',
      path: `/${encodePart('test$file.text')}`,
      headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
      body: Buffer.from('Welcome to Amazon S3.'),
    }),
    authorization({ query: { prefix: 'J', 'max-keys': '2' } }),
  ]).toEqual([
    `${scope},SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41`,
    `${scope},SignedHeaders=date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class,Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd`,
    `${scope},SignedHeaders=host;x-amz-content-sha256;x-amz-date,Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7`,
  ])
})

test('signs the session token too', () => {
  const request = { method: 'GET', host: 'h', path: '/', query: {}, headers: {}, body: Buffer.alloc(0) }
  expect(signedHeaders(request, { ...credentials, sessionToken: 'token' }, 'r', now)).toEqual({
    host: 'h',
    'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'x-amz-date': '20130524T000000Z',
    'x-amz-security-token': 'token',
    authorization: expect.stringContaining('SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,'),
  })
})

test('queries are sorted and encoded', () => {
  expect(queryString({ b: "a/b c+d!'()*~", 'a-1': 'ü' })).toBe('a-1=%C3%BC&b=a%2Fb%20c%2Bd%21%27%28%29%2A~')
})
