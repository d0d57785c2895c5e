import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { fakeContext } from '../../../../test/support/fake-terminal.ts'
import { TaskHome } from '../../../../test/support/replica-task.ts'
import { scratchFolder, scratchIo } from '../../../../test/support/scratch.ts'
import type { Check } from '../../../doctor/check.ts'
import type { Io } from '../../../platform/io.ts'
import { type LocalRecord, writeLocalRecord } from '../../../replica/local-record.ts'
import { openReplicaAt } from '../../../replica/open.ts'
import { generateKey } from '../../../replica/seal/keys.ts'
import { CONFIG } from '../../../replica/seal/open-config.ts'
import { type ReplicaStatus, writeReplicaStatus } from '../../../replica/status.ts'
import { appendEntry, ledgerFile } from '../../../run/ledger.ts'
import { writeTaskFile } from '../../../run/tasks.ts'
import { replicaChecks } from './replica.ts'

const KEY = 'AGE-SECRET-KEY-164XV5WFY7W2VJWPNDWPE0QPSK3E0SWF3WXRZ5HGDNRT3EL5GS2CSY4F6SC'
const ADDRESS = 's3://bucket/ion'
const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' }

function checksOf(io: Io, agent?: string): Promise<Check[]> {
  return replicaChecks(agent, fakeContext(io))
}

function withEnv(env: Record<string, string>): Io {
  return scratchIo(undefined, env)
}

test('nothing is said where there are no replicas', async () => {
  expect(await checksOf(scratchIo())).toEqual([])
})

test.each([
  ['an address of another kind', { ION_REPLICA: 'ftp://example.com/x' }, /cannot keep replicas in ftp:/],
  ['an address with a typing error', { ION_REPLICA: 's3:/bucket' }, /is not the address of a store/],
  ['no credentials', { ION_REPLICA: ADDRESS, ION_REPLICA_KEY: KEY }, /no credentials for S3/],
  ['no key', { ION_REPLICA: ADDRESS, ...CREDENTIALS }, /there is no key for s3:\/\/bucket\/ion/],
  ['a key that is not one', { ION_REPLICA: ADDRESS, ...CREDENTIALS, ION_REPLICA_KEY: 'x' }, /is not a secret key/],
  [
    'an unknown kind of encryption',
    { ION_REPLICA: ADDRESS, ...CREDENTIALS, ION_REPLICA_ENCRYPTION: 'off' },
    /is "off"$/,
  ],
  ['no key file', { ION_REPLICA: ADDRESS, ...CREDENTIALS, ION_REPLICA_KEY_FILE: 'k' }, /there is no key file .*\/k$/],
  ['a wrong id', { ION_REPLICA: ADDRESS, ...CREDENTIALS, ION_REPLICA_ID: '7' }, /ION_REPLICA_ID is not the id/],
])('%s is an error, with what to do about it', async (_what, env, message) => {
  const [check, ...others] = await checksOf(withEnv(env))
  expect([check, others]).toMatchObject([
    { name: 'replica', verdict: 'bad', detail: expect.stringMatching(message) },
    [],
  ])
  expect(check!.fix).toBeTruthy()
})

test('settings that can be right are ok; nothing was asked of the store', async () => {
  const folder = join(scratchFolder(), 'not mounted')
  const address = pathToFileURL(folder).href
  expect(await checksOf(withEnv({ ION_REPLICA: address, ION_REPLICA_KEY: KEY }))).toEqual([
    {
      name: 'replica',
      agent: null,
      verdict: 'ok',
      detail: `${address}, encrypted with the key of ION_REPLICA_KEY; the store itself was not asked: ion replica status does that`,
    },
  ])
  expect(existsSync(folder)).toBe(false)
  expect(await checksOf(withEnv({ ION_REPLICA: 'none', ION_REPLICA_KEY: KEY }))).toEqual([])
})

const ENV = { ION_REPLICA: ADDRESS, ION_REPLICA_KEY: KEY, ...CREDENTIALS }

function keptIn(
  env: Record<string, string>,
  record: Partial<LocalRecord> = {},
  status: Partial<ReplicaStatus> = {},
): TaskHome {
  const home = new TaskHome(undefined, env)
  const { task, io } = home
  const now = io.now().toISOString()
  appendEntry(task.folder, { type: 'exited', run: 'r', code: 0, signal: null }, io)
  writeTaskFile(task)
  writeLocalRecord(task.folder, {
    ...{ address: ADDRESS, store: '0'.repeat(32), folder: 'tasks/a/b', head: null, image: '1', work: '1' },
    ...{ tenure: { epoch: 1, writer: 'me' }, isHalf: false, ...record },
  })
  writeReplicaStatus(task.folder, {
    ...{
      address: ADDRESS,
      pid: 1,
      state: 'ended',
      behind_since: null,
      last_stored: now,
      ledger_bytes: statSync(ledgerFile(task.folder)).size,
      problem: null,
    },
    ...{ requests: 0, bytes_sent: 0, since: now, ...status },
  })
  return home
}

/** What is reported of the task, without its name. */
async function warnings({ io, task }: TaskHome): Promise<string[]> {
  const checks = (await checksOf(io)).filter(({ agent }) => agent !== null)
  for (const check of checks) {
    expect(check).toMatchObject({ agent: task.agent, verdict: 'warn', fix: expect.stringMatching(/./) })
    expect(check.detail).toContain('in ~: ')
  }
  return checks.map(({ detail }) => detail.slice(detail.indexOf(': ') + 2))
}

test('a task that is stored', async () => {
  const home = keptIn(ENV)
  expect(await warnings(home)).toEqual([])
  expect((await checksOf(home.io)).at(-1)).toMatchObject({ verdict: 'ok', detail: '1 task stored' })
  expect((await checksOf(home.io, 'another-agent')).map(({ detail }) => detail)).not.toContain('1 task stored')
})

test('a task whose last state was not stored', async () => {
  const problem = 'the bucket is full'
  expect(await warnings(keptIn(ENV, {}, { state: 'behind', problem }))).toEqual([
    `its last state is not in ${ADDRESS}: ${problem}`,
  ])
  // Its process was killed.
  expect(await warnings(keptIn(ENV, {}, { state: 'stored' }))).toEqual([`its last state is not in ${ADDRESS}`])
  // It was used without its replica.
  expect(await warnings(keptIn(ENV, {}, { ledger_bytes: 1 }))).toEqual([`its last state is not in ${ADDRESS}`])
})

test('a task that another workspace has taken over, and one that was half restored', async () => {
  expect(await warnings(keptIn(ENV, {}, { state: 'fenced', problem: 'far-away has taken over' }))).toEqual([
    'not stored any more: far-away has taken over',
  ])
  expect(await warnings(keptIn(ENV, { isHalf: true }))).toEqual([
    `it was being restored from ${ADDRESS} when that was interrupted`,
  ])
})

test('a store that is not the one that is set; one that is named for each start is not reported', async () => {
  expect(await warnings(keptIn({ ...ENV, ION_REPLICA: 's3://bucket/other' }))).toEqual([
    `it is kept in ${ADDRESS}, which is not the store that is set`,
  ])
  expect(await warnings(keptIn({ ...ENV, ION_REPLICA: `${ADDRESS}/` }))).toEqual([])
  expect(await warnings(keptIn({}))).toEqual([])
})

test('a key that does not open the store as it was last used from here', async () => {
  const address = pathToFileURL(scratchFolder()).href
  const env = { ION_REPLICA: address, ION_REPLICA_KEY: KEY }
  const { store, id } = await openReplicaAt({ address }, withEnv(env))
  const config = (await store.get(CONFIG))!.bytes.toString('utf8')
  const record = { address: store.address, store: id, released: { tag: '1', config } }
  expect(await warnings(keptIn(env, record))).toEqual([])
  const { text } = await generateKey(scratchIo())
  expect(await warnings(keptIn({ ...env, ION_REPLICA_KEY: text }, record))).toEqual([
    `the key that is set does not open ${store.address} as it was when the task was last stored`,
  ])
})
