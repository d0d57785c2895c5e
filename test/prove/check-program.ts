import { mkdtemp, rm } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { runTool } from './run-tool.ts'
import { sandboxed } from './sandbox.ts'

/**
 * Asks a fresh install for its version, in an empty home and without the network. A package may be complete for npm and
 * still lack the binary of this platform.
 * Returns what it printed; throws when it does not start.
 */
export async function checkProgram(program: string, cache: string, argument = '--version'): Promise<string> {
  const home = await mkdtemp(join(cache, 'check-'))
  const env = {
    HOME: home,
    TMPDIR: home,
    PATH: [dirname(program), dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter),
  }
  const [first = '', ...rest] = sandboxed([program, argument]).argv
  try {
    return await runTool(first, rest, { env, cwd: home, timeoutMs: 60_000 })
  } catch (error) {
    const reason = (error as Error).message.replace(/^.*? failed: /, '')
    throw new Error(`it was installed but does not start: ${reason}`, { cause: error })
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}
