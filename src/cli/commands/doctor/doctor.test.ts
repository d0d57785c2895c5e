import { chmodSync, cpSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { fakeContext } from '../../../../test/support/fake-terminal.ts'
import { filesBelow, scratchIo } from '../../../../test/support/scratch.ts'
import { agents } from '../../../agents/_registry.ts'
import type { Check } from '../../../doctor/check.ts'
import { promptCheck } from '../../../doctor/machine.ts'
import type { Io } from '../../../platform/io.ts'
import { promptChannel } from '../../../run/prompt-channel.ts'
import { run as status } from '../status.ts'
import { run } from './run.ts'

const fixture = (path: string): string => fileURLToPath(new URL(`../../../agents/${path}`, import.meta.url))
const DAY = 86_400_000

async function doctor(io: Io, agent?: string): Promise<{ kind: string | number; checks: Check[] }> {
  const context = fakeContext(io)
  const kind = await run([agent], { json: true, full: false }, context)
  const lines = context.out.text.split('\n').filter(Boolean)
  return { kind, checks: lines.map((line) => JSON.parse(line) as Check) }
}

function claudeWorld(): Io {
  const io = scratchIo(fixture('claude/fixtures/2.1.325'))
  for (const file of filesBelow(io.home)) utimesSync(file, io.now(), io.now())
  return io
}

test('an intact store: every check is ok, with the coverage', async () => {
  const { kind, checks } = await doctor(claudeWorld())
  expect(kind).toBe('ok')
  const claude = checks.filter((check) => check.agent === 'claude')
  expect(claude.map(({ name, verdict }) => [name, verdict])).toEqual([
    ['data', 'ok'],
    ['disk space', 'ok'],
    ['retention', 'ok'],
    ['coverage', 'ok'],
  ])
  expect(claude.at(-1)!.detail).toBe(
    '100 % of 622 records understood in 16 of 16 sessions (291 known, 331 internal, 0 unknown)',
  )
})

test('sessions that the agent will delete soon', async () => {
  const io = claudeWorld()
  const old = filesBelow(join(io.home, '.claude/projects')).filter((file) => file.endsWith('.jsonl'))[0]!
  utimesSync(old, io.now(), new Date(io.now().getTime() - 25 * DAY))
  const due = (checks: readonly Check[]): Check | undefined => checks.find((check) => check.name === 'retention')
  expect(due((await doctor(io)).checks)).toMatchObject({
    verdict: 'warn',
    detail: 'Claude Code will delete 1 of 16 sessions within a week (it keeps them for 30 days)',
    fix: expect.stringContaining('cleanupPeriodDays'),
  })
  writeFileSync(join(io.home, '.claude/settings.json'), '{"cleanupPeriodDays": 365}')
  expect(due((await doctor(io)).checks)).toMatchObject({ verdict: 'ok' })
})

test('a variable moves the store, but the default location exists too', async () => {
  const io = claudeWorld()
  const moved = join(io.home, 'elsewhere')
  cpSync(join(io.home, '.claude'), moved, { recursive: true })
  const { checks } = await doctor({ ...io, env: { ...io.env, CLAUDE_CONFIG_DIR: moved } })
  expect(checks.find((check) => check.name === 'two stores')).toMatchObject({
    agent: 'claude',
    verdict: 'warn',
    detail: 'CLAUDE_CONFIG_DIR moves the data to ~/elsewhere, but ~/.claude exists too',
    fix: 'unset CLAUDE_CONFIG_DIR to use the default location',
  })
})

test('a damaged database is an error with a fix and exit code 1', async () => {
  const io = scratchIo(fixture('goose/fixtures/1.52.0'))
  const database = join(io.home, '.local/share/goose/sessions/sessions.db')
  for (const ending of ['-wal', '-shm']) rmSync(database + ending)
  writeFileSync(database, 'garbage')
  const { kind, checks } = await doctor(io)
  expect(kind).toBe('failed')
  expect(checks.filter((check) => check.verdict === 'bad')).toEqual([
    {
      name: 'unreadable',
      agent: 'goose',
      verdict: 'bad',
      detail: expect.stringContaining('sessions.db: cannot open the database'),
      fix: expect.any(String),
    },
  ])
})

test('reports a WAL, a folder writable by others, and a session from the future', async () => {
  const io = scratchIo(fixture('goose/fixtures/1.52.0'))
  chmodSync(join(io.home, '.local/share/goose/sessions'), 0o777)
  const { checks } = await doctor({ ...io, now: () => new Date('2026-11-01T00:00:00Z') })
  const find = (name: string): Check | undefined => checks.find((check) => check.name === name)
  expect(find('WAL')).toMatchObject({ verdict: 'ok', detail: expect.stringContaining('sessions.db-wal (2.8 MB)') })
  expect(find('data')).toMatchObject({ verdict: 'warn', fix: expect.stringMatching(/^chmod go-w /) })
  expect(find('clock')).toMatchObject({ verdict: 'warn', detail: expect.stringContaining('in the future') })
})

test('names and tags that cannot be read', async () => {
  const io = claudeWorld()
  const found = async (): Promise<Check | undefined> =>
    (await doctor(io)).checks.find((check) => check.name === 'names and tags')
  expect(await found()).toBeUndefined()
  const path = join(io.env.ION_HOME!, 'organise.jsonl')
  writeFileSync(path, 'bad\n{}\n')
  expect(await found()).toMatchObject({ verdict: 'warn', detail: '2 lines could not be read' })
  rmSync(path)
  mkdirSync(path)
  expect(await found()).toMatchObject({ verdict: 'bad', detail: expect.stringContaining('EISDIR') })
})

test('data in a single file is checked as a file', async () => {
  const io = scratchIo()
  writeFileSync(
    join(io.home, '.aider.chat.history.md'),
    '# aider chat started at 2026-11-15 10:00:00\n\n#### hello  \n',
  )
  const { checks } = await doctor(io)
  expect(checks.filter((check) => check.name === 'data').map(({ verdict }) => verdict)).toEqual(['ok'])
})

test('unknown records lower the coverage; unreadable ones are as many as the overview says', async () => {
  const io = claudeWorld()
  const folder = join(io.home, '.claude/projects/-home-dev')
  mkdirSync(folder)
  const lines = ['{"type":"from-the-future","uuid":"a"}', 'garbage', '{"type":"mode"}', '']
  writeFileSync(join(folder, 'f0f0f0f0-0000-4000-8000-000000000001.jsonl'), lines.join('\n'))
  const { checks } = await doctor(io)
  expect(checks.find((check) => check.name === 'coverage')).toMatchObject({
    verdict: 'warn',
    detail: '99.6 % of 625 records understood in 17 of 17 sessions (291 known, 332 internal, 1 unknown)',
  })
  expect(checks.find((check) => check.name === 'records')).toMatchObject({
    verdict: 'warn',
    detail: '1 unreadable record in 1 session: f0f0f0f0-0000-4000-8000-000000000001',
    fix: expect.stringContaining('ion show f0f0f0f0-0000-4000-8000-000000000001'),
  })
  const overview = fakeContext(io)
  await status([], { json: false }, overview)
  expect(overview.out.text).toContain('1 unreadable record in sessions: ion doctor')
})

test('problems first, with their agent; then what is ok, by agent', async () => {
  const io = scratchIo(fixture('goose/fixtures/1.52.0'))
  cpSync(fixture('claude/fixtures/2.1.325'), io.home, { recursive: true })
  for (const file of filesBelow(io.home)) utimesSync(file, io.now(), io.now())
  chmodSync(join(io.home, '.local/share/goose/sessions'), 0o777)
  const context = fakeContext(io, { columns: 200 })
  await run([undefined], { json: false, full: false }, context)
  const lines = context.out.text.split('\n')
  expect(lines[0]).toBe('Problems')
  expect(lines.findIndex((line) => line.startsWith('! Goose, data: '))).toBeLessThan(lines.indexOf('This machine'))
  expect(lines.slice(lines.indexOf('This machine')).filter((line) => /^[!✗]/.test(line))).toEqual([])
})

test('one agent, by its id or alias', async () => {
  const io = claudeWorld()
  cpSync(fixture('goose/fixtures/1.52.0'), io.home, { recursive: true })
  const { checks } = await doctor(io, 'goose')
  expect([...new Set(checks.map(({ agent }) => agent))].sort()).toEqual(['goose', null])
  await expect(doctor(io, 'gose')).rejects.toMatchObject({ kind: 'not-found' })
})

test('an agent that is not installed is reported first, where it was asked for', async () => {
  const io = scratchIo()
  const { checks } = await doctor({ ...io, env: { ...io.env, PATH: io.home } }, 'claude')
  expect(checks[0]).toEqual({
    name: 'program',
    agent: 'claude',
    verdict: 'warn',
    detail: 'not installed: no "claude" on the PATH',
    fix: expect.stringContaining('install'),
  })
  const all = await doctor({ ...io, env: { ...io.env, PATH: io.home } })
  expect(all.checks.filter(({ name }) => name === 'program')).toEqual([])
  writeFileSync(join(io.home, 'claude'), '', { mode: 0o755 })
  const installed = await doctor({ ...io, env: { ...io.env, PATH: io.home } }, 'claude')
  expect(installed.checks.find(({ name }) => name === 'program')).toMatchObject({
    verdict: 'ok',
    detail: join('~', 'claude'),
  })
})

test('text output: grouped, with a summary at the end', async () => {
  const context = fakeContext(claudeWorld(), { columns: 100 })
  await run([undefined], { json: false, full: false }, context)
  expect(context.out.text).toMatch(/^(Problems\n[\s\S]*\n\n)?This machine\n/)
  expect(context.out.text).toMatch(/\nClaude Code\n✓ data: ~\/\.claude\n/)
  expect(context.out.text).toMatch(/\n\d+ ok, \d+ warnings?, 0 errors\n$/)
})

test('an unusable ION_HOME is a failed check, not a crash, and the agents are checked all the same', async () => {
  const io = claudeWorld()
  const file = join(io.home, 'file')
  writeFileSync(file, '')
  const { kind, checks } = await doctor({ ...io, env: { ...io.env, ION_HOME: join(file, 'ion') } })
  expect(kind).toBe('failed')
  expect(checks.slice(0, 2)).toEqual([
    {
      name: 'Ion home',
      agent: null,
      verdict: 'bad',
      detail: '~/file/ion: ~/file is a file',
      fix: 'set ION_HOME to a folder that you can write to',
    },
    expect.objectContaining({
      name: 'index',
      verdict: 'bad',
      detail: expect.stringMatching(/^cannot be written: ENOTDIR/),
    }),
  ])
  expect(checks).toContainEqual(expect.objectContaining({ name: 'coverage', agent: 'claude', verdict: 'ok' }))
})

test.skipIf(process.platform !== 'linux')(
  'an ION_HOME that cannot be created is not said to be created when needed',
  async () => {
    const io = scratchIo()
    // Of no use to anybody, root included.
    const home = join('/proc', 'ion-test')
    const { kind, checks } = await doctor({ ...io, env: { ...io.env, ION_HOME: home } })
    expect(kind).toBe('failed')
    const fix = 'set ION_HOME to a folder that you can write to'
    expect(checks.slice(0, 2)).toEqual([
      expect.objectContaining({ name: 'Ion home', verdict: 'bad', fix }),
      expect.objectContaining({
        name: 'index',
        verdict: 'bad',
        fix: expect.stringMatching(`^${fix}; until then`),
      }),
    ])
  },
)

test('agents that get a prompt as an argument are named, unless nobody else can read it', () => {
  const io = scratchIo()
  const startable = agents.filter(({ start }) => start)
  const visible = startable.filter((agent) => promptChannel(agent, 'terminal', io) === 'argument')
  const other = startable.find((agent) => !visible.includes(agent))!
  const [first, second] = visible
  expect(promptCheck([other], undefined, io).verdict).toBe('ok')
  expect(promptCheck([other, first!, second!], undefined, io)).toMatchObject({
    verdict: 'warn',
    detail: expect.stringMatching(`^${first!.title}, ${second!.title} get a prompt as an argument in a terminal`),
    fix: expect.stringContaining('hidepid=2'),
  })
  expect(promptCheck([first!], 'nobody else has an account', io)).toMatchObject({
    verdict: 'ok',
    detail: expect.stringContaining('nobody else has an account'),
  })
})

/** A transcript, one record per message, as Claude Code writes it. */
function claudeSession(io: Io, id: string, messages: readonly object[]): void {
  const folder = join(io.home, '.claude/projects/-home-dev-shop')
  mkdirSync(folder, { recursive: true })
  let parentUuid: string | null = null
  const lines = messages.map((message, index) => {
    const uuid = `00000000-0000-4000-8000-00000000000${index}`
    const about = { uuid, parentUuid, sessionId: id, cwd: '/home/dev/shop', version: '2.1.325', isSidechain: false }
    const timestamp = `2026-11-15T18:00:0${index}.000Z`
    parentUuid = uuid
    return `${JSON.stringify({ ...about, timestamp, userType: 'external', ...message })}\n`
  })
  writeFileSync(join(folder, `${id}.jsonl`), lines.join(''))
}

const said = (content: unknown) => ({ type: 'user', message: { role: 'user', content } })
const answered = (...content: object[]) => ({
  type: 'assistant',
  message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-opus-4-5', content },
})
const SESSION = '3f2a91bc-0000-4000-8000-000000000001'

test('a session that the provider refuses since the login changed, and how to get a clean copy', async () => {
  const io = scratchIo()
  claudeSession(io, SESSION, [
    said('Fix the refund'),
    answered({ type: 'thinking', thinking: 'Two jobs.', signature: 'c2lnbmVk' }, { type: 'text', text: 'Done' }),
    said('And the tests?'),
    {
      ...answered({
        type: 'text',
        text: 'API Error: 400 messages.1.content.0: Invalid `signature` in `thinking` block',
      }),
      isApiErrorMessage: true,
    },
  ])
  const { kind, checks } = await doctor(io, SESSION.slice(0, 8))
  expect(kind).toBe('failed')
  expect(checks[0]).toEqual({
    name: 'provider',
    agent: 'claude',
    verdict: 'bad',
    code: 'thinking_signature',
    detail: expect.stringMatching(
      /^refuses the session: signed thinking .* \(event 00000000-0000-4000-8000-000000000003\)$/,
    ),
    fix: `a copy without it: ion --resume ${SESSION} --in claude`,
  })
  expect(checks.map(({ name, verdict }) => [name, verdict])).toEqual([
    ['provider', 'bad'],
    ['session', 'ok'],
    ['coverage', 'ok'],
    ['resume', 'ok'],
  ])
})

test('a session with a call that never got its result, before a prompt without an answer', async () => {
  const io = scratchIo()
  claudeSession(io, SESSION, [
    said('Fix the refund'),
    answered({ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'npm test' } }),
    said('Are you there?'),
  ])
  const { kind, checks } = await doctor(io, SESSION)
  expect(kind).toBe('ok')
  expect(checks[0]).toMatchObject({
    verdict: 'warn',
    code: 'call_without_result',
    detail: 'will probably refuse the session: 1 tool call without a result in the middle (event toolu_1)',
  })
})

test('a rollout whose sealed reasoning belongs to another account', async () => {
  const io = scratchIo()
  const folder = join(io.home, '.codex/sessions/2026/11/15')
  mkdirSync(folder, { recursive: true })
  const records = [
    [
      'session_meta',
      { id: SESSION, timestamp: '2026-11-15T18:00:00.000Z', cwd: '/home/dev/shop', cli_version: '0.166.0' },
    ],
    ['response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Fix the refund' }] }],
    ['response_item', { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAAA' }],
    ['response_item', { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done' }] }],
    ['response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'And the tests?' }] }],
    [
      'event_msg',
      {
        type: 'error',
        message:
          '{"error":{"message":"The encrypted content gAAA could not be verified.","code":"invalid_encrypted_content"}}',
      },
    ],
  ] as const
  const lines = records.map(
    ([type, payload]) => `${JSON.stringify({ timestamp: '2026-11-15T18:00:00.000Z', type, payload })}\n`,
  )
  writeFileSync(join(folder, `rollout-2026-11-15T18-00-00-${SESSION}.jsonl`), lines.join(''))
  const { checks } = await doctor(io, SESSION)
  expect(checks[0]).toMatchObject({
    verdict: 'bad',
    code: 'sealed_reasoning',
    fix: `a copy without it: ion --resume ${SESSION} --in codex`,
  })
  expect(checks.find(({ name }) => name === 'reasoning')).toMatchObject({
    verdict: 'ok',
    detail: expect.stringContaining('1 sealed record'),
  })
})

test('a session that is intact, one with damaged records, and one that does not exist', async () => {
  const io = scratchIo()
  claudeSession(io, SESSION, [said('Fix the refund'), answered({ type: 'text', text: 'Done' })])
  const intact = await doctor(io, SESSION)
  expect(intact.checks.map(({ verdict }) => verdict)).toEqual(['ok', 'ok', 'ok', 'ok'])
  expect(intact.checks.at(-1)).toMatchObject({ name: 'provider', detail: 'nothing that it would refuse' })
  const file = join(io.home, `.claude/projects/-home-dev-shop/${SESSION}.jsonl`)
  writeFileSync(file, `{"type":"user"\n${'x'.repeat(20)}\n`, { flag: 'a' })
  const damaged = await doctor(io, SESSION)
  expect(damaged.checks.filter(({ name }) => name === 'records')).toHaveLength(2)
  expect(damaged.checks[0]).toMatchObject({
    verdict: 'warn',
    detail: expect.stringContaining('line 3'),
    fix: expect.stringContaining('--incomplete'),
  })
  await expect(doctor(io, 'codx')).rejects.toMatchObject({
    kind: 'not-found',
    message: 'no agent and no session matches "codx"',
    hint: expect.stringContaining('did you mean codex?'),
  })
})
