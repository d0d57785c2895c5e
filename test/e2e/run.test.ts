import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findAgent } from '../../src/agents/find.ts'
import { replaceFile } from '../../src/platform/atomic-file.ts'
import { taskOf } from '../../src/run/task.ts'
import { canRunUnprivileged } from '../support/unprivileged.ts'
import { until } from '../support/wait-until.ts'
import { installFake, ioOf, ledgerOf, logins, playable, promptsOf } from './fake-agent.ts'
import { type Machine, machine, runIon } from './run-ion.ts'

const claude = findAgent('claude')
const TASK = 'Fix the "refund" test\n- and say why'

interface Scene {
  readonly where: Machine
  run(args: readonly string[], env?: Record<string, string>): ReturnType<typeof runIon>
}

function scene(): Scene {
  const where = machine()
  const PATH = installFake(where)
  for (const agent of playable) {
    // Some do not start in a folder that was never trusted.
    const trust = agent.start?.prepare?.trust?.({ cwd: where.home, io: ioOf(where) })
    if (trust) replaceFile(trust.file, trust.content)
  }
  return { where, run: (args, env = {}) => runIon(where, args, { env: { PATH, ...logins, ...env } }) }
}

describe.each(playable.map((agent) => [agent.id, agent] as const))('fake %s', (id, agent) => {
  test('five starts send the prompt once and print the answer each time', async () => {
    const { where, run } = scene()
    for (let start = 0; start < 5; start++) {
      const { code, out, err } = await run(['run', id, '--headless', TASK])
      expect([code, out.trim(), err.split('\n')[0]]).toEqual([
        0,
        'I have done it: Fix the "refund" test',
        expect.stringMatching(
          start === 0 ? /starting a new session$/ : /nothing started \(session [0-9a-f-]{36}, prompt delivered/,
        ),
      ])
    }
    expect(Object.values(promptsOf(where, agent))).toEqual([[TASK]])
    const other = await run(['run', id, '--headless', 'and now the docs'])
    expect([other.code, other.out, other.err]).toEqual([
      4,
      '',
      expect.stringMatching(/this is another prompt\n {2}-> ion run \S+ --headless --send "…".*--new.*--task/),
    ])
    expect((await run(['run', id, '--headless', '--send', 'and now the docs'])).code).toBe(0)
    expect(Object.values(promptsOf(where, agent))).toEqual([[TASK, 'and now the docs']])
    expect(ledgerOf(where, agent).filter((entry) => entry.type === 'prompt' && entry.state === 'seen')).toHaveLength(2)
  })
})

test('a prompt is answered with its own answer, whatever was sent since', async () => {
  const { where, run } = scene()
  const file = join(where.root, 'task.md')
  writeFileSync(file, `${TASK}\n\n`)
  expect((await run(['run', 'claude', '--headless', '--prompt-file', file])).code).toBe(0)
  expect((await run(['run', 'claude', '--headless', '--send', 'and now the docs'])).code).toBe(0)
  const first = await run(['run', 'claude', '--headless', TASK])
  expect([first.code, first.out]).toEqual([0, 'I have done it: Fix the "refund" test\n'])
  expect(first.err).toContain('this is the answer to this prompt, and later prompts followed')
  const second = await run(['run', 'claude', '--headless', 'and now the docs '])
  expect([second.code, second.out]).toEqual([0, 'I have done it: and now the docs\n'])
  const asked = JSON.parse((await run(['run', 'claude', '--headless', '--dry-run', '--json', TASK])).out)
  expect(asked).toMatchObject({ decision: 'none', prompt: { action: 'skip' } })
  const other = await run(['run', 'claude', '--dry-run', 'paint it'])
  expect([other.code, other.out]).toEqual([4, expect.stringMatching(/^asks first: .*\n {2}-> .*--send/)])
  expect((await run(['run', 'claude', '--headless', '--new', 'paint it'])).code).toBe(0)
  // The session is another one now, and its answer is not the answer to the first prompt.
  expect(await run(['run', 'claude', '--headless', TASK])).toMatchObject({ code: 4, out: '' })
  expect(Object.values(promptsOf(where, claude)).sort()).toEqual([[TASK, 'and now the docs'], ['paint it']])
})

test('a start that cannot work is refused by a dry run, too, before anything is said or written', async () => {
  const { where, run } = scene()
  const { folder } = taskOf('claude', where.home, 'main', ioOf(where))
  const command = 'Claude Code treats text that begins with "/clear" as a command, not as a prompt'
  const hint =
    'put another word in front; for the command, open the agent and type it there: ion run claude, or ion attach'
  for (const how of [
    ['run', 'claude', '--headless'],
    ['run', 'claude', '--detach'],
    ['serve', 'claude', '--detach'],
  ]) {
    expect(await run([...how, '/clear'])).toMatchObject({ code: 4, out: '', err: `ion: ${command}\n  -> ${hint}\n` })
    expect(existsSync(folder)).toBe(false)
  }
  const shown = await run(['run', 'claude', '--headless', '--dry-run', '/clear'])
  expect(shown).toMatchObject({ code: 4, out: `refused: ${command}\n  -> ${hint}\n`, err: '' })
  const plan = await run(['run', 'claude', '--headless', '--dry-run', '--json', '/clear'])
  expect(JSON.parse(plan.out)).toMatchObject({ decision: 'refused', kind: 'refused', prompt: { action: 'skip' } })
  const loggedOut = { GEMINI_API_KEY: '' }
  for (const [options, out] of [
    [['--dry-run'], 'refused: Gemini is not logged in\n'],
    [[], ''],
  ] as const) {
    const outcome = await run(['run', 'gemini', '--headless', ...options, TASK], loggedOut)
    expect([outcome.code, outcome.out]).toEqual([1, expect.stringContaining(out)])
    expect(outcome.err).not.toContain('starting')
  }
  expect((await run(['ps', '--all', '--json'])).out).toBe('')

  expect((await run(['run', 'claude', '--headless', TASK])).code).toBe(0)
  const before = ledgerOf(where, claude)
  const sent = await run(['run', 'claude', '--headless', '--send', '/clear'])
  expect(sent).toMatchObject({ code: 4, out: '', err: `ion: ${command}\n  -> ${hint}\n` })
  expect(ledgerOf(where, claude)).toEqual(before)
})

test('two starts at the same instant: one runs, the other is refused', async () => {
  const { where, run } = scene()
  const hold = join(where.root, 'hold')
  writeFileSync(hold, '')
  const env = { ION_FAKE_HOLD_AT: 'prompted', ION_FAKE_HOLD: hold }
  const first = run(['run', 'claude', '--headless', TASK], env)
  const second = run(['run', 'claude', '--headless', TASK], env)
  const early = await Promise.race([first, second])
  expect([early.code, early.err]).toEqual([
    4,
    expect.stringMatching(
      /this task of Claude Code is running without a terminal \(pid \d+, since .*\n {2}-> wait for it, or stop it: kill \d+/,
    ),
  ])
  rmSync(hold)
  const codes = (await Promise.all([first, second])).map(({ code }) => code).sort()
  expect([codes, Object.values(promptsOf(where, claude))]).toEqual([[0, 4], [[TASK]]])
})

test('an agent that outlived its Ion is not started twice; once it has exited, its session is resumed', async () => {
  const { where, run } = scene()
  const hold = join(where.root, 'hold')
  writeFileSync(hold, '')
  const PATH = installFake(where)
  let ion = 0
  const env = { PATH, ION_FAKE_HOLD_AT: 'prompted', ION_FAKE_HOLD: hold }
  const started = runIon(where, ['run', 'claude', '--headless', TASK], { env, onStart: (pid) => (ion = pid) })
  await until(() => expect(existsSync(`${hold}.reached`)).toBe(true))
  process.kill(ion, 'SIGKILL')
  const agentPid = readFileSync(`${hold}.reached`, 'utf8')
  const refused = await run(['run', 'claude', '--headless', TASK])
  expect([refused.code, refused.err]).toEqual([
    4,
    expect.stringContaining(`Claude Code is still running on this task (pid ${agentPid})`),
  ])
  rmSync(hold)
  expect((await started).code).toBeNull()
  await until(async () => expect((await run(['run', 'claude', '--headless', TASK])).code).toBe(0))
  expect(Object.values(promptsOf(where, claude))).toEqual([[TASK]])
})

test('a full disk before the start: a clear error, and the agent does not run', async () => {
  const { where, run } = scene()
  const hook = join(where.root, 'full.cjs')
  writeFileSync(
    hook,
    `require('fs').writeSync = () => { throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' }) }`,
  )
  const { code, err } = await run(['run', 'claude', '--headless', TASK], { NODE_OPTIONS: `-r ${hook}` })
  expect([code, err]).toEqual([1, expect.stringMatching(/ENOSPC: no space left on device\n {2}-> free disk space/)])
  expect(promptsOf(where, claude)).toEqual({})
})

test.skipIf(!canRunUnprivileged)(
  'an ION_HOME that is not writable: a clear error, and the agent does not run',
  async () => {
    const { where } = scene()
    mkdirSync(where.ionHome, { mode: 0o555 })
    const PATH = installFake(where)
    const { code, err } = await runIon(where, ['run', 'claude', '--headless', TASK], {
      env: { PATH },
      unprivileged: true,
    })
    expect([code, err]).toEqual([1, expect.stringMatching(/EACCES.*\n {2}->/)])
    expect(promptsOf(where, claude)).toEqual({})
  },
)

test('a home from another boot, with a lease and an unfinished run: taken over and finished', async () => {
  const { where, run } = scene()
  const died = join(where.root, 'died')
  await run(['run', 'claude', '--headless', TASK], {
    ION_FAKE_DIE_AT: 'prompted',
    ION_FAKE_DIED: died,
    ION_FAKE_KILL: 'both',
  })
  const { folder } = taskOf('claude', where.home, 'main', ioOf(where))
  for (const name of ['ledger.jsonl', 'lease.1']) {
    const file = join(folder, name)
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"boot":"[^"]+"/g, '"boot":"another"'))
  }
  const { code, err } = await run(['run', 'claude', '--headless', '--nudge'])
  expect([code, err.split('\n')[0]]).toEqual([
    0,
    expect.stringMatching(/resuming session [0-9a-f-]{36}, asking the agent to continue/),
  ])
  expect(Object.values(promptsOf(where, claude))).toEqual([[TASK, 'Please continue where you stopped.']])
})

test('an interrupted turn is reported, with what to type', async () => {
  const { run, where } = scene()
  const died = join(where.root, 'died')
  await run(['run', 'claude', '--headless', TASK], { ION_FAKE_DIE_AT: 'answering', ION_FAKE_DIED: died })
  const { code, out, err } = await run(['run', 'claude', '--headless', TASK])
  expect([code, out, err]).toEqual([
    1,
    '',
    expect.stringMatching(
      /the last turn of session [0-9a-f-]{36} was interrupted\n {2}-> ion run claude --headless --send "what next", or --nudge/,
    ),
  ])
})

test('a missing session without a copy is refused, and --new starts another', async () => {
  const { run, where } = scene()
  await run(['run', 'claude', '--headless', TASK])
  rmSync(join(where.home, '.claude/projects'), { recursive: true })
  rmSync(join(where.ionHome, 'vault'), { recursive: true })
  const { code, err } = await run(['run', 'claude', '--headless', TASK])
  expect([code, err]).toEqual([
    4,
    expect.stringMatching(
      /is gone from the store of Claude Code; its prompt was delivered .* and is not sent again automatically/,
    ),
  ])
  expect((await run(['run', 'claude', '--headless', '--new', TASK])).code).toBe(0)
  expect(Object.values(promptsOf(where, claude))).toEqual([[TASK]])
})

test('arguments for the agent are remembered, and replaced only by the user', async () => {
  const { run } = scene()
  const argv = async (...args: string[]): Promise<string[]> => {
    const { out } = await run(['run', 'claude', '--headless', '--dry-run', '--json', '--send', 'x', ...args])
    return (JSON.parse(out) as { argv: string[] }).argv.slice(4)
  }
  await run(['run', 'claude', '--headless', TASK, '--', '--model', 'opus'])
  expect([await argv(), await argv('--', '--model', 'haiku'), await argv('--')]).toEqual([
    ['--model', 'opus'],
    ['--model', 'haiku'],
    [],
  ])
})

test('two tasks of one agent in one project are two sessions', async () => {
  const { run, where } = scene()
  await run(['run', 'claude', '--headless', '--task', 'one', 'first task'])
  await run(['run', 'claude', '--headless', '--task', 'two', 'second task'])
  await run(['run', 'claude', '--headless', '--task', 'one', '--send', 'go on'])
  expect(Object.values(promptsOf(where, claude)).sort()).toEqual([['first task', 'go on'], ['second task']])
})

test('a session that Ion did not start is adopted, and ion run resumes it', async () => {
  const { run, where } = scene()
  const made = join(
    where.home,
    '.claude/projects',
    where.home.replace(/[^A-Za-z0-9]/g, '-'),
    '5e551094-0197-4197-8197-000000000001.jsonl',
  )
  mkdirSync(dirname(made), { recursive: true })
  const record = {
    uuid: 'u1',
    parentUuid: null,
    timestamp: '2026-11-15T12:00:00Z',
    cwd: where.home,
    sessionId: '5e551094-0197-4197-8197-000000000001',
  }
  writeFileSync(made, `${JSON.stringify({ type: 'user', message: { role: 'user', content: 'by hand' }, ...record })}\n`)
  const resumed = await run(['--resume', '5e55', '--headless', '--send', 'go on'])
  expect([resumed.code, resumed.out]).toEqual([0, 'I have done it: go on\n'])
  const again = await run(['--continue', '--headless'])
  expect([again.code, again.out]).toEqual([0, 'I have done it: go on\n'])
  expect(Object.values(promptsOf(where, claude))).toEqual([['by hand', 'go on']])
})

test.each([
  [['run', 'claude', '--headless', '--prompt-file', '/nowhere'], 3, 'file /nowhere does not exist'],
  [['run', 'claude', '--headless', ' '], 2, 'the prompt from the command line is empty'],
  [['run', 'claude', '--headless', '--nudge', 'x'], 2, '--nudge sends its own prompt, so another one cannot be given'],
  [['run', 'claude', 'x'], 2, 'stdout is not a terminal'],
  [['run', 'claude', '--headless', '--detach', 'x'], 2, 'cannot be combined'],
  [['run', 'nobody', 'x'], 3, 'unknown agent "nobody"'],
  [['run', 'claude', '--task', '../x', '--headless', 'x'], 2, 'is not a valid task name'],
  [['run', 'ion', '--headless', 'x'], 2, 'cannot be started'],
  [['--resume', 'feed', '--headless'], 3, 'no session matches'],
  [['--continue', '--headless'], 3, 'no session in'],
  [['run', 'claude', '--headless', '--agentapi', 'x'], 5, 'agentapi is not installed'],
])('%j is refused with exit code %i', async (args, code, message) => {
  const result = await scene().run(args)
  expect([result.code, result.err]).toEqual([code, expect.stringContaining(message)])
})

test('an agent that is not installed gives exit 5 and how to install it', async () => {
  const { code, err } = await runIon(machine(), ['run', 'claude', '--headless', 'x'])
  expect([code, err]).toEqual([5, expect.stringMatching(/Claude Code is not installed.*\n {2}-> npm install -g/)])
})
