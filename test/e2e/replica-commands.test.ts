import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { findAgent } from '../../src/agents/find.ts'
import { leaseHolder } from '../../src/platform/lease.ts'
import { replicaLease } from '../../src/replica/status.ts'
import { taskOf } from '../../src/run/task.ts'
import { until } from '../support/wait-until.ts'
import { installFake, ioOf, logins, promptsOf } from './fake-agent.ts'
import { type Machine, machine, type Outcome, runIon } from './run-ion.ts'
import { serveWorld } from './serve-world.ts'

// Each test starts several programs, and other machines may be several times slower.
vi.setConfig({ testTimeout: 180_000 })

const KEY = 'AGE-SECRET-KEY-164XV5WFY7W2VJWPNDWPE0QPSK3E0SWF3WXRZ5HGDNRT3EL5GS2CSY4F6SC'
const agent = findAgent('codex')

type Ion = (args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<Outcome>

/** A machine with the fake agent and a folder for replicas; the key is in the environment. */
function workspace(folder?: string): {
  readonly on: Machine
  readonly folder: string
  readonly store: string
  readonly ion: Ion
} {
  const on = machine()
  const shared = folder ?? join(on.root, 'store')
  mkdirSync(shared, { recursive: true })
  const store = `file://${shared}`
  const path = installFake(on, [agent])
  const ion: Ion = (args, env = { ION_REPLICA: store, ION_REPLICA_KEY: KEY }) =>
    runIon(on, args, { env: { ...logins, PATH: path, ...env }, timeoutMs: 120_000 })
  return { on, folder: shared, store, ion }
}

async function ok(outcome: Promise<Outcome>): Promise<Outcome> {
  const ended = await outcome
  expect(ended, ended.err).toMatchObject({ code: 0 })
  return ended
}

const start = ['run', agent.id, '--headless', 'fix the bug']

function prompts(on: Machine): string[] {
  return Object.values(promptsOf(on, agent)).flat()
}

test('the tasks in a store are listed, verified, pruned and restored', async () => {
  const { on, folder, store, ion } = workspace()
  await ok(ion(start))
  const status = await ok(ion(['replica', 'status', '--json']))
  expect(
    status.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    {
      folder: expect.stringMatching(/^tasks\/[0-9a-f]{32}\/[0-9a-f]{32}$/),
      agent: agent.id,
      task: 'main',
      project: on.home,
      lease: 'free',
      holder: expect.stringContaining('pid'),
      held_since: expect.any(String),
      last_stored: expect.any(String),
      restorable_from: expect.any(String),
      bytes: expect.any(Number),
      problem: null,
      store_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      here: expect.objectContaining({ address: store, state: 'ended', is_running: false }),
    },
  ])
  expect((await ok(ion(['replica', 'status', store], { ION_REPLICA_KEY: KEY }))).out).toContain(
    `${agent.id} main here: stored;`,
  )
  expect((await ok(ion(['replica', 'verify']))).out).toContain(`${store} is intact: 1 task,`)
  expect((await ok(ion(['replica', 'prune', '--dry-run']))).out).toContain('would remove 0 objects (0 B)')
  expect((await ok(ion(['ps', '--all', '--json']))).out).toContain('"state":"ended"')

  const other = workspace(folder)
  expect((await ok(other.ion(['replica', 'restore', agent.id, '--dry-run']))).out).toContain('would restore')
  expect(prompts(other.on)).toEqual([])
  const restored = await ok(other.ion(['replica', 'restore', agent.id]))
  expect(restored.out).toMatch(/^restored session \S+ as stored at \S+ \S+ by the store's clock/)
  expect(prompts(other.on)).toEqual(['fix the bug'])
  expect(await other.ion(['replica', 'restore', agent.id])).toMatchObject({
    code: 4,
    err: expect.stringContaining('--replace archives the session here'),
  })
  await ok(other.ion(start))
  expect(prompts(other.on)).toEqual(['fix the bug'])

  const [task] = readdirSync(join(folder, 'tasks'))
  rmSync(join(folder, 'tasks', task!), { recursive: true })
  expect(await ion(['replica', 'restore', agent.id, '--replace'])).toMatchObject({
    code: 3,
    err: expect.stringContaining('ion replica status lists the tasks there'),
  })
})

test('an earlier state can be restored, is continued, and what it replaces is archived', async () => {
  const { on, ion } = workspace()
  await ok(ion(start))
  const [first] = JSON.parse(`[${(await ok(ion(['replica', 'status', '--json']))).out}]`) as [{ last_stored: string }]
  // Until the store's clock shows another second.
  await vi.waitUntil(() => Date.now() > Date.parse(first.last_stored) + 1500, { timeout: 60_000, interval: 50 })
  await ok(ion(['run', agent.id, '--headless', '--send', 'and the next one']))
  expect(prompts(on)).toEqual(['fix the bug', 'and the next one'])
  const at = new Date(Date.parse(first.last_stored) + 1000).toISOString()
  await ok(ion(['replica', 'restore', agent.id, '--replace', '--at', at]))
  expect(prompts(on)).toEqual(['fix the bug'])
  await ok(ion(['run', agent.id, '--headless', '--send', 'another way']))
  expect(prompts(on)).toEqual(['fix the bug', 'another way'])
  const [session] = JSON.parse(`[${(await ok(ion(['sessions', '--json']))).out}]`) as [{ id: string }]
  expect((await ok(ion(['show', session.id, '--archived']))).out).toContain('and the next one')
  expect(await ion(['replica', 'restore', agent.id, '--replace', '--at', '2020-01-01T10:00'])).toMatchObject({
    code: 3,
    err: expect.stringContaining('the oldest is of'),
  })
})

test('a store that was damaged is reported', async () => {
  const { folder, store, ion } = workspace()
  await ok(ion(start))
  const [record] = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.parentPath.endsWith('.segment~'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  const bytes = readFileSync(record!)
  writeFileSync(record!, bytes.subarray(0, -1))
  expect(await ion(['replica', 'verify'])).toMatchObject({
    code: 1,
    err: expect.stringContaining(`${store} is damaged: `),
  })
  // Its name is long: once is enough.
  const named = record!.slice(folder.length + 1, record!.indexOf('~'))
  const [, first] = ((await ion(['replica', 'verify'])).err.split('\n')[0] ?? '').split(' is damaged: ')
  expect(first).toBe(`${named} was changed, cut off, or is not the one that was stored there`)
  const status = await ion(['replica', 'status', '--json'])
  // Which task it is, this home knows.
  expect([status.code, JSON.parse(status.out)]).toMatchObject([
    1,
    { agent: agent.id, task: 'main', problem: expect.stringContaining('is damaged') },
  ])
})

test('a key is created, and replaced by another', async () => {
  const { on, folder, store, ion } = workspace()
  const [old, next] = [join(on.home, 'old.key'), join(on.home, 'new.key')]
  const none = {}
  await ok(ion(['replica', 'key', old], none))
  await ok(ion(['replica', 'key', next], none))
  expect(statSync(old).mode & 0o777).toBe(0o600)
  expect(await ion(['replica', 'key', old], none)).toMatchObject({ code: 4 })
  expect((await ok(ion(['replica', 'key'], none))).out).toMatch(/^AGE-SECRET-KEY-1/m)
  await ok(ion(['config', 'set', 'replica.address', store], none))
  await ok(ion(['config', 'set', 'replica.key_file', old], none))
  await ok(ion(start, none))
  const same = (await ok(ion(['replica', 'rekey', '--new-key-file', old], none))).out
  expect(same).toContain('the key is the one that it had')
  expect(same).not.toContain('with the old key, nothing')
  const rekeyed = (await ok(ion(['replica', 'rekey', '--new-key-file', next], none))).out
  expect(rekeyed).toMatch(/has a new key[\s\S]*with the old key, nothing/)
  expect(await ion(['replica', 'status'], none)).toMatchObject({
    code: 4,
    err: expect.stringContaining('is encrypted for other keys than that of'),
  })
  await ok(ion(['replica', 'verify', '--replica-key-file', next], none))
  const other = workspace(folder)
  await ok(other.ion(start, { ION_REPLICA: store, ION_REPLICA_KEY_FILE: next }))
  expect(prompts(other.on)).toEqual(['fix the bug'])
})

test('wrong input says what to type', async () => {
  const { on, store, ion } = workspace()
  const encrypted = { ION_REPLICA: store, ION_REPLICA_KEY: KEY }
  const fails = async (args: readonly string[], env: Readonly<Record<string, string>>, code: number, err: string) => {
    expect(await ion(['replica', ...args], env)).toMatchObject({ code, err: expect.stringContaining(err) })
  }
  await fails(['status'], {}, 2, 'add --replica s3://bucket/prefix')
  await fails(['status'], encrypted, 3, `there is no replica in ${store}`)
  await fails(['status', `file://${on.root}/none`], encrypted, 3, `${on.root}/none`)
  await ok(ion(start))
  await fails(['status'], { ION_REPLICA: store }, 2, 'the key is the one with which this store was created')
  await fails(['status'], { ...encrypted, ION_REPLICA_ENCRYPTION: 'off' }, 2, 'set it to none')
  await fails(['restore', agent.id, '--from', '/home/dev/none'], encrypted, 3, 'for /home/dev/none')
  await fails(['status', '--no-encryption'], { ION_REPLICA: store }, 4, 'leave out --no-encryption')
  await fails(['restore'], encrypted, 2, 'ion replica restore <agent>')
  await fails(['restore', agent.id, '--task', 'docs'], encrypted, 3, 'has no task docs')
  await fails(['restore', agent.id, '--at', 'noon'], encrypted, 2, '14:02')
  await fails(['restore', agent.id, '--at', '2099-01-01'], encrypted, 2, 'is in the future')
  await fails(['prune', '--days', 'x'], encrypted, 2, '--days 7')
  await fails(['verify', '--days', '3'], encrypted, 2, 'takes no --days')
  await fails(['rekey'], encrypted, 2, 'ion replica key new.key')
})

test('a dry run checks the settings, does not touch the store, and says what would be asked of it', async () => {
  const { on, folder, store, ion } = workspace()
  const dry = (...args: string[]): string[] => ['run', agent.id, '--dry-run', ...args]
  const { err } = await ok(ion(dry('fix the bug')))
  expect(err).toContain(`${store} was not asked: the task would be looked for there, and restored if it is found`)
  expect(readdirSync(folder)).toEqual([])
  const refused = async (env: Readonly<Record<string, string>>, code: number, why: string): Promise<void> => {
    expect(await ion(dry('fix the bug'), env)).toMatchObject({ code, out: '', err: expect.stringContaining(why) })
  }
  await refused({ ION_REPLICA: 's3:bucket', ION_REPLICA_KEY: KEY }, 2, 'is not the address of a store')
  await refused({ ION_REPLICA: 's3://bucket/ion', ION_REPLICA_KEY: KEY }, 2, 'no credentials for S3')
  await refused({ ION_REPLICA: store }, 2, `there is no key for ${store}`)
  await refused({ ION_REPLICA: store, ION_REPLICA_KEY_FILE: join(on.root, 'none') }, 3, 'there is no key file')

  await ok(ion(start))
  const before = readdirSync(folder, { recursive: true })
  const again = await ok(ion(dry('--send', 'and the next one')))
  expect(again.err).toContain('its lease there would be taken in one request')
  expect(readdirSync(folder, { recursive: true })).toEqual(before)
})

test('doctor knows the settings and the tasks', async () => {
  const { store, ion } = workspace()
  const doctor = async (env?: Readonly<Record<string, string>>): Promise<unknown[]> => {
    const { out } = await ion(['doctor', '--json'], env)
    const checks = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { name: string; verdict: string; detail: string })
    return checks.filter(({ name }) => name === 'replica').map(({ verdict, detail }) => `${verdict}: ${detail}`)
  }
  expect(await doctor({})).toEqual([])
  await ok(ion(start))
  const set = `ok: ${store}, encrypted with the key of ION_REPLICA_KEY; the store itself was not asked: ion replica status does that`
  expect(await doctor()).toEqual([set, 'ok: 1 task stored'])
  expect(await doctor({ ION_REPLICA: store })).toEqual([
    expect.stringContaining(`bad: there is no key for ${store}`),
    'ok: 1 task stored',
  ])
  await ok(ion(['run', agent.id, '--headless', '--send', 'without it'], { ION_REPLICA: 'none' }))
  expect(await doctor()).toEqual([expect.stringContaining(`its last state is not in ${store}`), set])
})

test('the server of a task says how far the store is behind', async () => {
  const { where, ion, serve } = serveWorld()
  const [store, key] = [join(where.root, 'store'), join(where.root, 'key')]
  mkdirSync(store)
  await ok(ion('replica', 'key', key))
  const server = await serve('--replica', `file://${store}`, '--replica-key-file', key, 'fix the bug')
  const replica = async (): Promise<unknown> => (await server.status()).replica
  await until(async () => expect(await replica()).toEqual({ state: 'stored', behind_since: null, reason: null }))
  renameSync(store, `${store}-away`)
  await server.say('and the next one')
  await until(async () =>
    expect(await replica()).toEqual({
      state: 'behind',
      behind_since: expect.stringMatching(/^\d{4}-.*Z$/),
      reason: expect.stringContaining(store),
    }),
  )
  renameSync(`${store}-away`, store)
  await until(async () => expect(await replica()).toMatchObject({ state: 'stored' }))
})

test('the agent does not get the key, and stopping it in the background waits until its last state is stored', async () => {
  const { on, ion } = workspace()
  const program = join(on.root, 'bin', agent.binaries[0]!)
  const seen = join(on.root, 'environment')
  writeFileSync(program, readFileSync(program, 'utf8').replace('\n', `\nenv >> "${seen}"\n`))
  await ok(ion(start))
  await ok(ion(['run', agent.id, '--detach', '--task', 'docs', 'write the docs']))
  await ok(ion(['stop', '--all']))
  const environment = readFileSync(seen, 'utf8')
  expect(environment).toContain('ION_REPLICA=')
  expect(environment).not.toContain('AGE-SECRET-KEY')
  const rows = (await ok(ion(['ps', '--all', '--json']))).out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(rows.map(({ task, replica }) => [task, replica?.state]).sort()).toEqual([
    ['docs', 'ended'],
    ['main', 'ended'],
  ])
})

test('hints name the task, also if it has a name of its own', async () => {
  const { folder, ion } = workspace()
  const docs = ['run', agent.id, '--headless', '--task', 'docs']
  await ok(ion([...docs, 'write the docs']))
  const other = workspace(folder)
  await ok(other.ion([...docs, 'write the docs']))
  await ok(other.ion([...docs, '--send', 'more of them']))
  await ok(ion([...docs, '--send', 'here only'], { ION_REPLICA: 'none' }))
  const { code, err } = await ion([...docs, '--send', 'and here'])
  expect(code).toBe(4)
  expect(err).toContain(`ion replica restore ${agent.id} --task docs --replace takes that one`)
  expect(err).toContain(`ion run ${agent.id} --task docs-2 "…" starts another task`)
})

test('a restore names the session that it has replaced, and this home is found again in the status', async () => {
  const { folder, ion } = workspace()
  await ok(ion(start))
  const other = workspace(folder)
  await ok(other.ion(['run', agent.id, '--headless', 'something else'], { ION_REPLICA: 'none' }))
  const [replaced] = JSON.parse(`[${(await ok(other.ion(['sessions', '--json']))).out}]`) as [{ id: string }]
  const { out } = await ok(other.ion(['replica', 'restore', agent.id, '--replace']))
  expect(out).toContain(`what was here is in the archive: ion show ${replaced.id} --archived`)
  await ok(other.ion(['run', agent.id, '--headless', '--send', 'the next one']))
  const empty = workspace(folder)
  expect((await ok(empty.ion(['replica', 'restore', agent.id, '--replace']))).out).not.toContain('archive')
  // Another home was the last one to store the task.
  const row = JSON.parse((await ok(ion(['replica', 'status', '--json']))).out) as { project: string; here: unknown }
  expect(row).toMatchObject({ project: other.on.home, here: { state: 'ended' } })
})

/** A folder that counts as a clone of one and the same repository. */
function cloneAt(path: string): string {
  execFileSync('git', ['init', '-q', path])
  execFileSync('git', ['-C', path, 'remote', 'add', 'origin', 'https://example.com/shop.git'])
  return path
}

test('of several clones that are gone, the one that is named is restored', async () => {
  const folder = join(machine().root, 'store')
  const clone = (name: string): { readonly project: string; readonly run: Ion; readonly said: () => string[][] } => {
    const { on, store } = workspace(folder)
    const project = cloneAt(join(on.home, name))
    const env = { ...logins, PATH: installFake(on, [agent]), ION_REPLICA: store, ION_REPLICA_KEY: KEY }
    return {
      project,
      run: (args) => runIon(on, args, { cwd: project, env }),
      said: () => Object.values(promptsOf(on, agent)),
    }
  }
  const [one, two, three] = [clone('one'), clone('two'), clone('three')]
  await ok(one.run(['run', agent.id, '--headless', 'in the first']))
  await ok(two.run(['run', agent.id, '--headless', '--new', 'in the second']))
  for (const { project } of [one, two]) rmSync(project, { recursive: true })
  const unclear = await three.run(['replica', 'restore', agent.id])
  expect([unclear.code, unclear.err]).toEqual([
    3,
    expect.stringContaining(`${agent.id} --from <folder> takes one of them`),
  ])
  await ok(three.run(['replica', 'restore', agent.id, '--from', two.project]))
  await ok(three.run(['run', agent.id, '--headless', '--send', 'and on']))
  expect(three.said()).toEqual([['in the second', 'and on']])
  // From now on it is stored where it was.
  await ok(three.run(['replica', 'restore', agent.id, '--replace']))
  expect(three.said()).toEqual([['in the second', 'and on']])
  await ok(three.run(['replica', 'restore', agent.id, '--from', one.project, '--replace']))
  await ok(three.run(['run', agent.id, '--headless', '--send', 'once more']))
  expect(three.said()).toContainEqual(['in the first', 'once more'])
})

test('a damaged snapshot in the store is reported too', async () => {
  const { folder, store, ion } = workspace()
  await ok(ion(start))
  await ok(ion(['snapshot', 'create', store]))
  expect((await ok(ion(['replica', 'verify']))).out).toContain(`${store} is intact: 1 task, 1 snapshot, `)
  expect((await ok(ion(['replica', 'status']))).err).toContain(`also has 1 snapshot: ion snapshot list ${store}`)
  const [piece] = readdirSync(join(folder, 'snapshots'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.parentPath.includes('pieces'))
    .map((entry) => join(entry.parentPath, entry.name))
  writeFileSync(piece!, readFileSync(piece!).subarray(0, -1))
  expect(await ion(['replica', 'verify'])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/snapshots\/.*was changed, cut off[\s\S]* is damaged: 1 problem in 1 task, 1 snapshot/),
  })
})

test('stopping an agent in the background says that its last state is not stored', async () => {
  const { on, ion } = workspace()
  await ok(ion(['run', agent.id, '--detach', 'fix the bug']))
  await until(() => expect(prompts(on)).toEqual(['fix the bug']))
  const { folder } = taskOf(agent.id, on.home, 'main', ioOf(on))
  process.kill(leaseHolder(replicaLease(folder))!.pid, 'SIGKILL')
  await until(() => expect(leaseHolder(replicaLease(folder))).toBeUndefined())
  const { err } = await ok(ion(['stop', '--all']))
  expect(err).toContain('its process ended; the next start stores it')
  expect((await ok(ion(['stop', '--all']))).err).toBe('')
})

test('of two clones of a repository in the store none is guessed, and that is said', async () => {
  const { on, folder } = workspace()
  const clones = (where: Machine, ...names: string[]): string[] => names.map((name) => cloneAt(join(where.home, name)))
  const run = (where: Machine, cwd: string): Promise<Outcome> =>
    runIon(where, start, {
      cwd,
      env: { ...logins, PATH: installFake(where, [agent]), ION_REPLICA: `file://${folder}`, ION_REPLICA_KEY: KEY },
      timeoutMs: 120_000,
    })
  const before = clones(on, 'one', 'two')
  for (const clone of before) await ok(run(on, clone))
  rmSync(on.home, { recursive: true })
  const other = workspace(folder)
  const [here] = clones(other.on, 'three')
  const { err } = await ok(run(other.on, here!))
  expect(err).toContain('starting a new session')
  for (const clone of before) expect(err).toContain(clone)
})
