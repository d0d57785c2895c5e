import { tmpdir } from 'node:os'

/** A test that could see the real home must not run at all. */
const { HOME, ION_TEST_HOME } = process.env
if (!HOME || HOME !== ION_TEST_HOME || !HOME.startsWith(tmpdir())) {
  throw new Error(`tests run only in a scratch home, but HOME is ${HOME}; start them with "npm test"`)
}
