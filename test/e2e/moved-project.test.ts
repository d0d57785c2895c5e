import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Agent } from '../../src/agents/agent.ts'
import { findAgent } from '../../src/agents/find.ts'
import { replaceFile } from '../../src/platform/atomic-file.ts'
import { type Lease, takeLease } from '../../src/platform/lease.ts'
import { serverLease } from '../../src/run/lease.ts'
import { taskOf } from '../../src/run/task.ts'
import { readTaskFile } from '../../src/run/tasks.ts'
import { listAll } from '../support/read-all.ts'
import { until } from '../support/wait-until.ts'
import { installFake, ioOf, ledgerOf, logins, playable, promptsOf } from './fake-agent.ts'
import { installFakeClaude } from './fake-claude.ts'
import { killHook, killPoints } from './kill-hook.ts'
import { type Machine, machine, type Outcome, runIon } from './run-ion.ts'
import { ionWindow } from './terminal.ts'

const TASK = 'Fix the refund test'
const claude = findAgent('claude')

interface Scene {
  readonly where: Machine
  readonly alpha: string
  readonly beta: string
  ion(cwd: string, ...args: (string | Record<string, string>)[]): Promise<Outcome>
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
    ion: (cwd, ...args) =>
      runIon(
        where,
        args.filter((arg) => typeof arg === 'string'),
        { cwd, env: Object.assign({ PATH, ...logins }, ...args.filter((arg) => typeof arg !== 'string')) },
      ),
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
    expect((await ion(beta, '--continue', '--headless', '--send', 'and the docs')).code).toBe(0)
    expect(said(claude, beta)).toEqual({ prompts: [[TASK, 'and the docs']], folders: [beta] })
    expect((await ion(beta, 'run', 'claude', '--headless', TASK)).err).toMatch(RESUMED)
    renameSync(beta, alpha)
    expect((await ion(alpha, '--resume', id, '--headless')).err).toContain('moved from ~/beta to ~/alpha')
    renameSync(alpha, beta)
    expect((await ion(beta, '--resume', id, '--headless')).err).toContain('moved from ~/alpha to ~/beta')
    // Nothing says so, but the user.
    const gamma = join(where.home, 'gamma')
    cpSync(beta, gamma, { recursive: true })
    rmSync(beta, { recursive: true })
    expect((await ion(gamma, '--resume', id, '--headless', '--send', 'more')).code).toBe(3)
    expect((await ion(gamma, '--resume', id, '--here', '--headless', '--send', 'more')).code).toBe(0)
    expect(said(claude, gamma)).toEqual({ prompts: [[TASK, 'and the docs', 'more']], folders: [gamma] })
  })
})

test('a folder that is renamed while its agent runs: the agent is found from there, and moved after it has stopped', async () => {
  const where = machine()
  const PATH = installFakeClaude(where, 'tui-agent.mjs')
  const [alpha, beta] = [join(where.home, 'alpha'), join(where.home, 'beta')]
  mkdirSync(alpha)
  const ion = (cwd: string, ...args: string[]): Promise<Outcome> => runIon(where, args, { cwd, env: { PATH } })
  onTestFinished(async () => {
    await ion(where.home, 'stop', '--all', '--grace', '0')
  })
  const first = await ion(alpha, 'run', 'claude', '--detach', TASK)
  expect(first.code).toBe(0)
  await until(() => expect(Object.values(promptsOf(where, claude))).toEqual([[TASK]]))
  renameSync(alpha, beta)
  expect(JSON.parse((await ion(beta, 'ps', '--json')).out)).toMatchObject({ project: beta, way: 'detached' })
  const again = await ion(beta, 'run', 'claude', '--detach', TASK)
  expect([again.code, again.out]).toEqual([0, first.out.replace('started', 'already running')])
  const busy = await ion(beta, 'run', 'claude', '--headless', TASK)
  expect([busy.code, busy.err]).toEqual([4, expect.stringContaining('is running in the background')])
  expect(await ion(beta, 'stop')).toMatchObject({ code: 0, out: 'stopped claude in ~/beta\n' })
  const warm = await ion(beta, 'run', 'claude', '--detach', TASK)
  expect([warm.code, warm.err]).toEqual([
    0,
    expect.stringMatching(/was moved from ~\/alpha to ~\/beta.*\n.*resuming session/),
  ])
  expect(listAll(claude, ioOf(where)).heads.map(({ cwd }) => cwd)).toEqual([beta])
  expect(Object.values(promptsOf(where, claude))).toEqual([[TASK]])
})

test('a project that was renamed while a server without an agent serves its task: refused until the server has ended', async () => {
  const { where, alpha, beta, ion, said } = scene()
  expect((await ion(alpha, 'run', 'claude', '--headless', TASK)).code).toBe(0)
  const { folder } = taskOf('claude', alpha, 'main', ioOf(where, alpha))
  // This process stands for the server.
  const lease = takeLease(serverLease(folder), {}) as Lease
  renameSync(alpha, beta)
  const refused = await ion(beta, 'run', 'claude', '--headless', TASK)
  expect([refused.code, refused.out, refused.err]).toEqual([
    4,
    '',
    expect.stringMatching(
      /ion serve still serves this task in .*alpha.*\n {2}-> stop it: kill \d+; then ion run claude again/,
    ),
  ])
  lease.release()
  expect((await ion(beta, 'run', 'claude', '--headless', TASK)).code).toBe(0)
  expect(said(claude, beta)).toEqual({ prompts: [[TASK]], folders: [beta] })
})

test('in a terminal, a doubtful move is asked about: Enter starts nothing, yes resumes', async () => {
  const where = machine()
  const path = installFakeClaude(where, 'tui-agent.mjs')
  const alpha = join(where.home, 'alpha')
  const other = join(where.home, 'other', 'alpha')
  mkdirSync(alpha)
  const started = ionWindow(where, ['run', 'claude', TASK], { path, cwd: alpha })
  await until(() => expect(Object.values(promptsOf(where, claude))).toEqual([[TASK]]))
  started.close()
  await started.exit
  cpSync(alpha, other, { recursive: true })
  rmSync(alpha, { recursive: true })
  const declined = ionWindow(where, ['run', 'claude', TASK], { path, cwd: other })
  await declined.shows('[y/N]')
  declined.type('\r')
  expect([await declined.exit, declined.text()]).toEqual([4, expect.stringContaining('--moved-from')])
  const accepted = ionWindow(where, ['run', 'claude', TASK], { path, cwd: other })
  await accepted.shows('[y/N]')
  accepted.type('y\r')
  await accepted.shows('FAKE warm')
  accepted.close()
  await accepted.exit
  expect(Object.values(promptsOf(where, claude))).toEqual([[TASK]])
  expect(listAll(claude, ioOf(where)).heads.map(({ cwd }) => cwd)).toEqual([other])
})

/** One whose files are named after the folder, one whose rows are changed in place, and one that is in the task's folder. */
describe.each(['claude', 'goose', 'aider'])('fake %s', (id) => {
  test('a move that is killed at any of its operations is completed by the next start', {
    tags: ['deep'],
  }, async () => {
    const agent = findAgent(id)
    const { where, alpha, beta, ion, said } = scene()
    const [hook, operations] = [join(where.root, 'kill-hook.cjs'), join(where.root, 'operations.json')]
    writeFileSync(hook, killHook)
    await ion(alpha, 'run', id, '--headless', TASK)
    const native = listAll(agent, ioOf(where, alpha)).heads[0]!.native_id
    const stores = [where.home, where.ionHome]
    const saved = join(where.root, 'saved')
    for (const [index, folder] of stores.entries()) cpSync(folder, join(saved, `${index}`), { recursive: true })
    const restoreAll = (): void => {
      for (const [index, folder] of stores.entries()) {
        // The project's folder stays the same one.
        for (const name of readdirSync(folder)) {
          if (name !== 'alpha' && name !== 'beta') rmSync(join(folder, name), { recursive: true })
        }
        cpSync(join(saved, `${index}`), folder, { recursive: true, filter: (path) => basename(path) !== 'alpha' })
      }
    }
    const move = (env: Record<string, string>): Promise<Outcome> => {
      const program = { NODE_OPTIONS: `-r ${hook}`, ION_TEST_DATABASES: '1' }
      return ion(beta, 'run', id, '--headless', TASK, { ...program, ...env })
    }
    renameSync(alpha, beta)
    expect((await move({ ION_TEST_OPERATIONS: operations })).code).toBe(0)
    const count = (JSON.parse(readFileSync(operations, 'utf8')) as string[]).length
    for (const at of killPoints(count)) {
      restoreAll()
      expect((await move({ ION_TEST_KILL_AT: `${at}` })).code, `killed at ${at}`).toBe(null)
      const again = await ion(beta, 'run', id, '--headless', TASK)
      expect([again.code, again.err], `after ${at} of ${count}`).toEqual([0, expect.stringMatching(RESUMED)])
      expect(promptsOf(where, agent, beta), `after ${at} of ${count}`).toEqual({ [native]: [TASK] })
      expect(said(agent, beta).folders, `after ${at} of ${count}`).toEqual([beta])
    }
  })
})
