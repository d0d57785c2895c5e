import { tmpdir } from 'node:os'

/** A test that could touch the real home must not run. */
const { HOME, ION_TEST_HOME } = process.env
if (!HOME || HOME !== ION_TEST_HOME || !HOME.startsWith(tmpdir())) {
  throw new Error(`tests run only in a scratch home, but HOME is ${HOME}; start them with "npm test"`)
}
