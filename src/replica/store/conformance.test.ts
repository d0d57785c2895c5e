import { randomBytes } from 'node:crypto'
import { pathToFileURL } from 'node:url'
import { describe } from 'vitest'
import { STUB_BUCKET, startStub } from '../../../test/s3/stub-server.ts'
import { testObjectStore } from '../../../test/suites/test-object-store.ts'
import { scratchFolder } from '../../../test/support/scratch.ts'

describe('a folder', () => {
  testObjectStore(async () => ({ address: pathToFileURL(scratchFolder()).href, env: {} }))
})

describe('S3, the stub', () => {
  testObjectStore(async () => {
    const { env } = await startStub()
    return { address: `s3://${STUB_BUCKET}/${randomBytes(4).toString('hex')}`, env }
  })
})
