// `npm run s3-servers` gets the S3 servers for test/s3 from the Go proxy and PyPI. Where that is not possible it says why, and
// the tests that need them are skipped.
import { cacheFolder } from '../prove/cache-folder.ts'
import { installAgent } from '../prove/install.ts'
import { serverKinds } from './servers.ts'

// One after the other: other work of the machine is more urgent.
for (const { build } of serverKinds) {
  const result = await installAgent(build, { cache: cacheFolder(), log: console.log })
  console.log(
    'unavailable' in result
      ? `${build.name} could not be installed, so tests with it are skipped: ${result.unavailable}`
      : `${build.name} ${result.version} is installed for test/s3`,
  )
}
