import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Agent } from '../../src/agents/agent.ts'
import { findAgent } from '../../src/agents/find.ts'
import { replaceFile } from '../../src/platform/atomic-file.ts'
import { taskOf } from '../../src/run/task.ts'
import { readTaskFile } from '../../src/run/tasks.ts'
import { listAll } from '../support/read-all.ts'
import { installFake, ioOf, ledgerOf, logins, playable, promptsOf } from './fake-agent.ts'
import { type Machine, machine, type Outcome, runIon } from './run-ion.ts'

const TASK = 'Fix the refund test'
const claude = findAgent('claude')

interface Scene {
  readonly where: Machine
  readonly alpha: string
  readonly beta: string
  ion(cwd: string, ...args: string[]): Promise<Outcome>
  git(cwd: string, ...args: string[]): void
  /** A repository with one commit, which is another one for each text. */
  repository(folder: string, text: string): void
  /** What the user said in each session, and where that is now. */
  said(agent: Agent, cwd: string): { prompts: string[][]; folders: (string | null)[] }
}

function scene(): Scene {
  const where = machine()
  const PATH = installFake(where)
  const alpha = join(where.home, 'alpha')
  const beta = join(where.home, 'beta')
  mkdirSync(alpha)
  for (const agent of playable) {
    for (const cwd of [where.home, alpha, beta]) {
      const trust = agent.start?.prepare?.trust?.({ cwd, io: ioOf(where) })
      if (trust) replaceFile(trust.file, trust.content)
    }
  }
  const env = {
    PATH,
    HOME: where.home,
    GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
    GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
  }
  const git = (cwd: string, ...args: string[]): void => {
    execFileSync('git', ['-C', cwd, '-c', 'user.name=Dev', '-c', 'user.email=dev@example.com', ...args], {
      env,
      stdio: 'pipe',
    })
  }
  return {
    where,
    alpha,
    beta,
    ion: (cwd, ...args) => runIon(where, args, { cwd, env: { PATH, ...logins } }),
    git,
    repository: (folder, text) => {
      mkdirSync(folder, { recursive: true })
      git(folder, 'init', '-q')
      git(folder, 'commit', '-q', '--allow-empty', '-m', text)
    },
    said: (agent, cwd) => ({
      prompts: Object.values(promptsOf(where, agent, cwd)),
      folders: listAll(agent, ioOf(where, cwd)).heads.map((head) => head.cwd),
    }),
  }
}

describe.each(playable.map((agent) => [agent.id, agent] as const))('fake %s', (id, agent) => {
  // The stores of all agents are also tested in src/vault.
  const tags = agent === claude ? [] : ['deep']
  test('a renamed folder is the same project: its session is resumed there, and nothing is sent again', {
    tags,
  }, async () => {
    const { where, alpha, beta, ion, said } = scene()
    expect((await ion(alpha, 'run', id, '--headless', TASK)).code).toBe(0)
    renameSync(alpha, beta)
    const planned = await ion(beta, 'run', id, '--headless', '--send', 'and the docs', '--dry-run')
    expect([planned.code, planned.out]).toEqual([0, expect.stringContaining(`in ${beta}:`)])
    const again = await ion(beta, 'run', id, '--headless', TASK)
    expect([again.code, again.out.trim(), again.err]).toEqual([
      0,
      `I have done it: ${TASK}`,
      expect.stringContaining('the project was moved from ~/alpha to ~/beta'),
    ])
    expect(said(agent, beta).prompts).toEqual([[TASK]])
    const more = await ion(beta, 'run', id, '--headless', '--send', 'and the docs')
    expect([more.code, more.err]).toEqual([0, expect.not.stringContaining('moved from')])
    expect(said(agent, beta).prompts).toEqual([[TASK, 'and the docs']])
    expect(said(agent, beta).folders.filter((cwd) => cwd !== null && cwd !== beta)).toEqual([])
    expect(ledgerOf(where, agent, 'main', beta).filter(({ type }) => type === 'moved')).toHaveLength(1)
  })
})

const RESUMED = /nothing started \(session [0-9a-f-]{36}, prompt delivered/
const STARTED = /starting a new session$/m

describe('a git repository', () => {
  test('cloned again at its path, or cloned elsewhere while the old clone is gone: the same project', {
    tags: ['deep'],
  }, async () => {
    const { where, alpha, beta, ion, git, repository, said } = scene()
    const origin = join(where.home, 'origin')
    repository(origin, 'one')
    rmSync(alpha, { recursive: true })
    git(where.home, 'clone', '-q', origin, alpha)
    expect((await ion(alpha, 'run', 'claude', '--headless', TASK)).err).toMatch(STARTED)
    rmSync(alpha, { recursive: true })
    git(where.home, 'clone', '-q', origin, alpha)
    expect((await ion(alpha, 'run', 'claude', '--headless', TASK)).err).toMatch(RESUMED)
    // As long as the old one exists, a clone, a copy and a worktree are other projects.
    git(where.home, 'clone', '-q', origin, beta)
    const copy = join(where.home, 'copy')
    cpSync(alpha, copy, { recursive: true })
    const tree = join(where.home, 'tree')
    git(alpha, 'worktree', 'add', '-q', tree)
    for (const folder of [beta, copy, tree]) {
      expect((await ion(folder, 'run', 'claude', '--headless', TASK)).err).toMatch(STARTED)
    }
    rmSync(alpha, { recursive: true })
    const last = join(where.home, 'last')
    git(where.home, 'clone', '-q', origin, last)
    const moved = await ion(last, 'run', 'claude', '--headless', TASK)
    expect(moved.err).toContain('the project was moved from ~/alpha to ~/last')
    expect(moved.err).toMatch(RESUMED)
    expect(said(claude, last).folders.sort()).toEqual([beta, copy, last, tree])
  })

  test('another repository at the path of a task does not inherit its session', async () => {
    const { alpha, ion, repository, said } = scene()
    repository(alpha, 'one')
    await ion(alpha, 'run', 'claude', '--headless', TASK)
    rmSync(alpha, { recursive: true })
    repository(alpha, 'two')
    const refused = await ion(alpha, 'run', 'claude', '--headless', TASK)
    expect([refused.code, refused.out, refused.err]).toEqual([
      4,
      '',
      expect.stringMatching(
        /the repository in ~\/alpha is not the one in which this task was started.*\n {2}-> ion run claude --new "…" .*; ion run claude --same-project resumes session [0-9a-f-]{36}/,
      ),
    ])
    const planned = await ion(alpha, 'run', 'claude', '--headless', TASK, '--dry-run', '--json')
    expect([planned.code, JSON.parse(planned.out)]).toEqual([4, expect.objectContaining({ decision: 'refused' })])
    expect((await ion(alpha, 'run', 'claude', '--headless', '--same-project', TASK)).err).toMatch(RESUMED)
    // That was said once and for all.
    expect((await ion(alpha, 'run', 'claude', '--headless', TASK)).err).toMatch(RESUMED)
    rmSync(alpha, { recursive: true })
    repository(alpha, 'three')
    expect((await ion(alpha, 'run', 'claude', '--headless', '--new', TASK)).code).toBe(0)
    expect((await ion(alpha, 'run', 'claude', '--headless', TASK)).err).toMatch(RESUMED)
    expect(said(claude, alpha).prompts).toEqual([[TASK], [TASK]])
  })
})

describe('a folder without git', () => {
  test('created again at its path: the same project', { tags: ['deep'] }, async () => {
    const { alpha, ion } = scene()
    await ion(alpha, 'run', 'claude', '--headless', TASK)
    rmSync(alpha, { recursive: true })
    mkdirSync(alpha)
    expect((await ion(alpha, 'run', 'claude', '--headless', TASK)).err).toMatch(RESUMED)
  })

  test('copied to another place and removed: refused until the user says what it is', async () => {
    const { where, alpha, ion, said } = scene()
    await ion(alpha, 'run', 'claude', '--headless', TASK)
    const other = join(where.home, 'other', 'alpha')
    cpSync(alpha, other, { recursive: true })
    // A copy whose original exists is a project of its own.
    const early = await ion(other, 'run', 'claude', '--headless', '--moved-from', '../../alpha', TASK)
    expect([early.code, early.err]).toEqual([4, expect.stringContaining('~/alpha still exists')])
    rmSync(alpha, { recursive: true })
    const refused = await ion(other, 'run', 'claude', '--headless', TASK)
    expect([refused.code, refused.out, refused.err]).toEqual([
      4,
      '',
      expect.stringMatching(
        /~\/other\/alpha may be what was ~\/alpha.*\n {2}-> ion run claude --moved-from ~\/alpha resumes it here; ion run claude --new/,
      ),
    ])
    expect((await ion(other, 'run', 'claude', '--headless', '--moved-from', alpha, TASK)).err).toMatch(RESUMED)
    expect(said(claude, other)).toEqual({ prompts: [[TASK]], folders: [other] })
    // Again, as in a script.
    expect((await ion(other, 'run', 'claude', '--headless', '--moved-from', alpha, TASK)).err).toMatch(RESUMED)
  })

  test('of a task that an older Ion started: refused if the prompt is the same', { tags: ['deep'] }, async () => {
    const { where, alpha, beta, ion, said } = scene()
    await ion(alpha, 'run', 'claude', '--headless', TASK)
    const { folder } = taskOf('claude', alpha, 'main', ioOf(where))
    const { identity, ...older } = readTaskFile(folder)!
    expect(identity?.folder?.ino).toMatch(/^\d+$/)
    writeFileSync(join(folder, 'task.json'), JSON.stringify(older))
    renameSync(alpha, beta)
    expect((await ion(beta, 'run', 'claude', '--headless', TASK)).code).toBe(4)
    expect((await ion(beta, 'run', 'claude', '--headless', '--new', TASK)).code).toBe(0)
    expect(said(claude, beta).prompts).toEqual([[TASK], [TASK]])
  })
})

describe('ion --resume of a session whose folder is gone', () => {
  test('in the new place of the folder: there; elsewhere: what to type', async () => {
    const { where, alpha, beta, ion, said } = scene()
    await ion(alpha, 'run', 'claude', '--headless', TASK)
    const id = listAll(claude, ioOf(where, alpha)).heads[0]!.id.slice(0, 8)
    renameSync(alpha, beta)
    const elsewhere = await ion(where.home, '--resume', id, '--headless', '--send', 'and the docs')
    expect([elsewhere.code, elsewhere.err]).toEqual([
      3,
      expect.stringMatching(
        /does not exist any more: .*\/alpha\n {2}-> if it was moved: cd .* --resume [0-9a-f-]{36} --here/,
      ),
    ])
    expect((await ion(beta, '--resume', id, '--headless', '--send', 'and the docs')).code).toBe(0)
    expect(said(claude, beta)).toEqual({ prompts: [[TASK, 'and the docs']], folders: [beta] })
    expect((await ion(beta, 'run', 'claude', '--headless', TASK)).err).toMatch(RESUMED)
    // Nothing says so, but the user.
    const gamma = join(where.home, 'gamma')
    cpSync(beta, gamma, { recursive: true })
    rmSync(beta, { recursive: true })
    expect((await ion(gamma, '--resume', id, '--headless', '--send', 'more')).code).toBe(3)
    expect((await ion(gamma, '--resume', id, '--here', '--headless', '--send', 'more')).code).toBe(0)
    expect(said(claude, gamma)).toEqual({ prompts: [[TASK, 'and the docs', 'more']], folders: [gamma] })
  })
})
