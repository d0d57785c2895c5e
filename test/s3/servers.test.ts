// @module-tag deep
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe } from 'vitest'
import { testObjectStore } from '../suites/test-object-store.ts'
import { installedServer, type RunningServer, SERVER_BUCKET, serverKinds, startServer } from './servers.ts'

for (const kind of serverKinds) {
  const program = await installedServer(kind)
  const whySkipped = program ? '' : ' (skipped: not installed; npm run s3-servers installs it)'
  describe.skipIf(!program)(`S3, ${kind.build.name}${whySkipped}`, () => {
    let server: RunningServer | undefined
    beforeAll(async () => {
      server = await startServer(kind, program!)
    })
    afterAll(() => server?.stop())
    testObjectStore(
      async () => ({ address: `s3://${SERVER_BUCKET}/${randomBytes(4).toString('hex')}`, env: server!.env }),
      kind.whyNoRaces,
    )
  })
}
