import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { attempt } from './error.ts'
import type { Io } from './io.ts'
import type { GitIdentity } from './project-identity.ts'

/** Enough for a history of some 100,000 commits. */
const DEADLINE_MS = 3000
const MAX_OUTPUT = 64 * 1024

/** Undefined if the folder is not the top of a git repository. Takes at most three seconds. */
export async function gitIdentity(project: string, io: Pick<Io, 'env'>): Promise<GitIdentity | undefined> {
  const repository = repositoryOf(project)
  if (!repository) return undefined
  const { common, isWorktree } = repository
  const roots = existsSync(join(common, 'shallow')) ? undefined : await firstCommits(project, io)
  const remote = remoteOf(common)
  return { ...(roots ? { roots } : {}), ...(remote ? { remote } : {}), ...(isWorktree ? { worktree: true } : {}) }
}

/** The folder that all worktrees of a repository share. Undefined if `project` is not the top of one. */
export function repositoryOf(project: string): { readonly common: string; readonly isWorktree: boolean } | undefined {
  const path = join(project, '.git')
  const stat = attempt(() => statSync(path))
  if (!stat) return undefined
  if (stat.isDirectory()) return { common: path, isWorktree: false }
  // A file in linked worktrees and in submodules; only the former share their history with another folder.
  const named = /^gitdir: (.+)$/m.exec(smallText(path))?.[1]
  if (named === undefined) return undefined
  const folder = resolve(project, named.trim())
  const shared = smallText(join(folder, 'commondir')).trim()
  return shared === '' ? { common: folder, isWorktree: false } : { common: resolve(folder, shared), isWorktree: true }
}

function smallText(path: string): string {
  return attempt(() => (statSync(path).size > MAX_OUTPUT ? '' : readFileSync(path, 'utf8'))) ?? ''
}

/** Without scheme, user and password, so that the same repository by ssh and by https is one. */
function remoteOf(common: string): string | undefined {
  const section = /^\[remote "origin"\]\s*$([^[]*)/m.exec(smallText(join(common, 'config')))?.[1]
  const url = section && /^\s*url\s*=\s*(.+?)\s*$/m.exec(section)?.[1]
  if (!url) return undefined
  const address = url
    .replace(/^[a-z+]+:\/\//i, '')
    .replace(/^[^/@]*@/, '')
    .replace(/^([^/:]+):(?=\D)/, '$1/')
    .replace(/(\.git)?\/*$/, '')
  return createHash('sha256').update(address.toLowerCase()).digest('hex').slice(0, 16)
}

/** Undefined without a commit, or when git cannot say; empty when it takes too long. */
async function firstCommits(project: string, { env }: Pick<Io, 'env'>): Promise<readonly string[] | undefined> {
  const { execFile } = await import('node:child_process')
  // Of all branches, so that an unrelated one that is checked out makes no difference.
  const args = ['--no-replace-objects', '-C', project, 'rev-list', '--max-parents=0', '--all']
  const options = {
    // Variables of git would name another repository; nothing is fetched, asked or locked.
    env: { PATH: env.PATH, HOME: env.HOME, GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', GIT_NO_LAZY_FETCH: '1' },
    timeout: DEADLINE_MS,
    killSignal: 'SIGKILL' as const,
    maxBuffer: MAX_OUTPUT,
    windowsHide: true,
  }
  return new Promise((done) => {
    execFile('git', args, options, (error, out) => {
      if (error) done(error.killed ? [] : undefined)
      else {
        const commits = out.split('\n').filter((line) => /^[0-9a-f]{40,64}$/.test(line))
        done(commits.length > 0 ? commits.sort() : undefined)
      }
    })
  })
}
