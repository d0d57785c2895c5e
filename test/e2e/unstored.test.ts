import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findAgent } from '../../src/agents/find.ts'
import { until } from '../support/wait-until.ts'
import { installFake, ledgerOf, logins, promptsOf } from './fake-agent.ts'
import { type Machine, machine, type Outcome, runIon } from './run-ion.ts'
import { ionWindow, pathWith } from './terminal.ts'

const PROMPT = 'fix the bug'

interface Scene {
  readonly where: Machine
  readonly path: string
  run(...args: string[]): Promise<Outcome>
  /** How often the program was started with a prompt. */
  turns(): number
}

/** An agent that is this JavaScript; `turn()` counts the turns. */
function scene(agent: string, version: string, script: string): Scene {
  const where = machine()
  const bin = join(where.root, 'bin')
  const turns = join(where.root, 'turns')
  mkdirSync(bin)
  mkdirSync(turns)
  const program = `const turn = () => require('fs').writeFileSync(${JSON.stringify(turns)} + '/' + process.pid, '')
if (process.argv.includes('--version')) console.log(${JSON.stringify(version)})
else { ${script} }`
  writeFileSync(join(where.root, 'agent.cjs'), program)
  const file = join(bin, findAgent(agent).binaries[0]!)
  writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${join(where.root, 'agent.cjs')}" "$@"\n`)
  chmodSync(file, 0o755)
  const path = pathWith(bin)
  return {
    where,
    path,
    run: (...args) => runIon(where, args, { env: { ...logins, PATH: path } }),
    turns: () => readdirSync(turns).length,
  }
}

const codexLines = [
  { type: 'thread.started', thread_id: '0199a213-81c0-7800-8aa1-bbab2a035a53' },
  { type: 'item.completed', item: { type: 'agent_message', text: 'done' } },
].map((line) => JSON.stringify(line))

test.each([
  ['claude', '2.1.325 (Claude Code)', "turn(); console.log('done')", '--no-session-persistence', 0],
  ['codex', 'codex-cli 0.166.0', `turn(); console.log(${JSON.stringify(codexLines.join('\n'))})`, '--ephemeral', 0],
  // Its output is not only the answer, so the answer is printed from the transcript, which does not exist.
  ['aider', 'aider 0.86.2', "turn(); console.log('done')", undefined, 1],
] as const)(
  'a fake %s that answers and stores nothing: reported, and the prompt is not sent again automatically',
  async (agent, version, script, option, code) => {
    const { run, turns, where } = scene(agent, version, script)
    const args = ['run', agent, '--headless', PROMPT, ...(option ? ['--', option] : [])]
    const first = await run(...args)
    expect([first.code, first.out]).toEqual([code, code === 0 ? 'done\n' : ''])
    const why = option ? `storing is switched off by ${option}` : 'the reason is unknown'
    expect(first.err).toContain(`stored nothing of this turn: ${why}`)
    expect(first.err).toContain(`ion run ${agent} --new "…"`)
    expect(ledgerOf(where, findAgent(agent))).toContainEqual(expect.objectContaining({ type: 'unstored', reason: why }))
    const again = await run('run', agent, '--headless', PROMPT)
    expect([again.code, again.out]).toEqual([4, ''])
    expect(again.err).toMatch(
      /answered the last prompt but stored nothing .*it is not sent again automatically\n {2}-> .* --headless --new "…"/,
    )
    expect(turns()).toBe(1)
  },
)

test('after a prompt that was answered and not stored, --new sends it again, and another prompt is sent', async () => {
  const { run, turns } = scene('claude', '2.1.325 (Claude Code)', "turn(); console.log('done')")
  await run('run', 'claude', '--headless', PROMPT)
  expect(await run('run', 'claude', '--headless', '--dry-run')).toMatchObject({ code: 4 })
  await run('run', 'claude', '--headless', '--new', PROMPT)
  expect(turns()).toBe(2)
  await run('run', 'claude', '--headless', 'paint it')
  expect(turns()).toBe(3)
})

test('an agent that dies before it answers stores nothing either, and its prompt is sent again', async () => {
  const { run, turns, where } = scene(
    'claude',
    '2.1.325 (Claude Code)',
    "turn(); console.log('I will'); process.exit(3)",
  )
  // Something in the way of the store is not proof of an answer.
  mkdirSync(join(where.home, '.claude'))
  writeFileSync(join(where.home, '.claude', 'projects'), '')
  for (const expected of [1, 2]) {
    const { code, err } = await run('run', 'claude', '--headless', PROMPT)
    expect([code, turns()]).toEqual([3, expected])
    expect(err).not.toContain('stored nothing')
  }
})

test('an agent that answers, leaves an empty session and fails, since the disk is full: the prompt is not sent again', async () => {
  const { run, turns } = scene(
    'claude',
    '2.1.325 (Claude Code)',
    `turn(); console.log('done')
    const id = process.argv[process.argv.indexOf('--session-id') + 1]
    const folder = process.env.HOME + '/.claude/projects/' + process.cwd().replace(/[^a-zA-Z0-9]/g, '-')
    require('fs').mkdirSync(folder, { recursive: true })
    require('fs').writeFileSync(folder + '/' + id + '.jsonl', '')
    process.exit(1)`,
  )
  // Stands for a full disk: also a reason why nothing is stored.
  const args = ['run', 'claude', '--headless', PROMPT, '--', '--no-session-persistence']
  const first = await run(...args)
  expect([first.code, first.out, first.err]).toEqual([
    1,
    'done\n',
    expect.stringContaining('stored nothing of this turn'),
  ])
  const again = await run(...args)
  expect([again.code, again.out, again.err]).toEqual([4, '', expect.stringContaining('--headless --new "…"')])
  expect(turns()).toBe(1)
})

test('in a terminal it is reported if there is a reason; otherwise the user may have left at a dialog', async () => {
  const { where, path, turns } = scene('claude', '2.1.325 (Claude Code)', "turn(); console.log('bye')")
  const dialog = ionWindow(where, ['run', 'claude', PROMPT], { path })
  expect(await dialog.exit).toBe(0)
  expect(dialog.text()).not.toContain('stored nothing')
  const size = { columns: 250, rows: 24 }
  const refusing = ionWindow(where, ['run', 'claude', PROMPT, '--', '--no-session-persistence'], { path, size })
  expect(await refusing.exit).toBe(0)
  expect(refusing.text()).toContain('stored nothing of this turn: storing is switched off by --no-session-persistence')
  expect(turns()).toBe(2)
  const again = ionWindow(where, ['run', 'claude', PROMPT], { path })
  expect(await again.exit).toBe(4)
  expect(turns()).toBe(2)
})

test('a session that lost its last turn: --send sends it again, and the first prompt still resumes', async () => {
  const where = machine()
  const claude = findAgent('claude')
  const run = (...args: string[]): Promise<Outcome> =>
    runIon(where, args, { env: { ...logins, PATH: installFake(where, [claude]) } })
  expect((await run('run', 'claude', '--headless', PROMPT)).code).toBe(0)
  const broken = scene('claude', '2.1.325 (Claude Code)', "turn(); console.log('done')")
  const lost = await runIon(where, ['run', 'claude', '--headless', '--send', 'paint it'], {
    env: { PATH: broken.path },
  })
  expect([lost.code, lost.out, lost.err]).toEqual([0, 'done\n', expect.stringContaining('stored nothing of this turn')])
  const again = await run('run', 'claude', '--headless', 'paint it')
  expect([again.code, again.out, again.err]).toEqual([4, '', expect.stringContaining('--headless --send "…"')])
  expect(await run('run', 'claude', '--headless', PROMPT)).toMatchObject({
    code: 0,
    out: `I have done it: ${PROMPT}\n`,
  })
  expect((await run('run', 'claude', '--headless', '--send', 'paint it')).code).toBe(0)
  expect(Object.values(promptsOf(where, claude))).toEqual([[PROMPT, 'paint it']])
  expect(await run('run', 'claude', '--headless', 'paint it')).toMatchObject({
    code: 0,
    out: 'I have done it: paint it\n',
  })
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  'a turn that was interrupted by %s ends with exit code %i, also if the agent exits with 0',
  async (signal, code) => {
    const { where, path, run, turns } = scene(
      'claude',
      '2.1.325 (Claude Code)',
      `process.on('${signal}', () => process.exit(0)); setInterval(() => {}, 1000); turn()`,
    )
    let ion = 0
    const running = runIon(where, ['run', 'claude', '--headless', PROMPT], {
      env: { PATH: path },
      onStart: (pid) => (ion = pid),
    })
    await until(() => expect(turns()).toBe(1))
    process.kill(ion, signal)
    const ended = await running
    expect([ended.code, ended.err]).toEqual([code, expect.not.stringContaining('stored nothing')])
    expect(ledgerOf(where, findAgent('claude')).at(-1)).toMatchObject({ type: 'exited', code: null, signal })
    // Nothing was stored, so the prompt is still pending.
    const plan = await run('run', 'claude', '--headless', '--dry-run', '--json', PROMPT)
    expect(JSON.parse(plan.out)).toMatchObject({ decision: 'cold', prompt: { action: 'send' } })
  },
)
