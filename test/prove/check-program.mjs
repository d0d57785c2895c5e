import { mkdtemp, rm } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { runTool } from './run-tool.mjs'
import { sandboxed } from './sandbox.mjs'

/**
 * Asks a fresh install for its version, in an empty home and without the network. A package may be complete for npm and
 * still lack the binary of this platform.
 * @param {string} program
 * @param {string} cache
 * @returns {Promise<void>} or an error that says why it does not start
 */
export async function checkProgram(program, cache) {
  const home = await mkdtemp(join(cache, 'check-'))
  const env = { HOME: home, TMPDIR: home, PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter) }
  const [first = '', ...rest] = sandboxed([program, '--version']).argv
  try {
    await runTool(first, rest, { env, cwd: home, timeoutMs: 60_000 })
  } catch (error) {
    const words = /** @type {Error} */ (error).message.replace(/^.*? failed: /, '')
    throw new Error(`it was installed but does not start: ${words}`, { cause: error })
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}
