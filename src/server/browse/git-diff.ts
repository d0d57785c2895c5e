import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type Io, programEnvironment } from '../../platform/io.ts'
import type { SessionChanges } from './contract.ts'

const TIMEOUT_MS = 5000
const MAX_DIFF = 1_000_000

/** Nothing of the repository is run: no hooks, no external diff, no text conversion, no monitor of the file system. */
const SAFE = [
  '-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'core.pager=cat', '-c', 'diff.external=',
  '-c', 'diff.trustExitCode=false', '-c', 'submodule.recurse=false',
] // biome-ignore format: a list

/** What differs from the last commit in this folder now; null where there is no repository, or git does not answer in time. */
export function gitDiff(folder: string | null, io: Io): Promise<SessionChanges['git']> {
  if (folder === null || !existsSync(folder)) return Promise.resolve(null)
  const args = ['diff', 'HEAD', '--no-color', '--no-ext-diff', '--no-textconv', '--ignore-submodules=all', '--relative']
  const env = {
    ...programEnvironment(io),
    // The user's own settings could start programs, too, and change the form.
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_DIR: undefined,
    GIT_WORK_TREE: undefined,
    GIT_EXTERNAL_DIFF: undefined,
  }
  const options = { cwd: folder, env, timeout: TIMEOUT_MS, maxBuffer: MAX_DIFF, killSignal: 'SIGKILL' as const }
  return new Promise((resolve) => {
    execFile('git', [...SAFE, ...args], options, (error, stdout) => {
      const isCut = (error as NodeJS.ErrnoException | null)?.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER'
      if (error && !isCut) resolve(null)
      else resolve({ diff: isCut ? stdout.slice(0, stdout.lastIndexOf('\n') + 1) : stdout, is_cut: isCut })
    })
  })
}
