import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findAgent } from '../../src/agents/find.ts'
import { decide } from '../../src/run/decide.ts'
import { gatherFacts } from '../../src/run/facts.ts'
import { ledgerFile } from '../../src/run/ledger.ts'
import { readTaskState } from '../../src/run/session-record.ts'
import { taskOf } from '../../src/run/task.ts'
import { pinnedElsewhere } from '../../src/run/tasks.ts'
import { installFake, ioOf, ledgerOf, logins, promptsOf } from './fake-agent.ts'
import { type Machine, machine, type Outcome, runIon } from './run-ion.ts'
import { ionWindow } from './terminal.ts'

const TASK = 'Fix the "refund" test\n- and say why'
const ANSWER = 'I have done it: Fix the "refund" test\n'

interface Scene {
  readonly where: Machine
  readonly path: string
  readonly folder: string
  readonly ledger: string
  readonly record: string
  run(...args: string[]): Promise<Outcome>
}

/** A task whose first turn has ended. */
async function scene(id: string): Promise<Scene> {
  const agent = findAgent(id)
  const where = machine()
  const path = installFake(where, [agent])
  const { folder } = taskOf(id, where.home, 'main', ioOf(where))
  const run = (...args: string[]): Promise<Outcome> => runIon(where, args, { env: { ...logins, PATH: path } })
  expect(await run('run', id, '--headless', TASK, '--', '--model', 'opus')).toMatchObject({ code: 0, out: ANSWER })
  return { where, path, folder, ledger: ledgerFile(folder), record: join(folder, 'session.json'), run }
}

/** The ledger, damaged in every way: cut in each line and after it, emptied, without a line, with garbage. */
function damaged(text: string): Record<string, string> {
  const lines = text.trimEnd().split('\n')
  const found: Record<string, string> = { empty: '', garbage: 'garbage\n', 'garbage at the end': `${text}{"v":1,"at":` }
  for (const [index, line] of lines.entries()) {
    const { type } = JSON.parse(line) as { type: string }
    const before = lines.slice(0, index).map((one) => `${one}\n`)
    found[`cut in ${index} ${type}`] = `${before.join('')}${line.slice(0, line.length / 2)}`
    if (index > 0) found[`cut before ${index} ${type}`] = before.join('')
    found[`garbage instead of ${index} ${type}`] = lines
      .with(index, '\0\0\0')
      .map((one) => `${one}\n`)
      .join('')
    found[`without ${index} ${type}`] = lines
      .toSpliced(index, 1)
      .map((one) => `${one}\n`)
      .join('')
  }
  return found
}

test.each(['claude', 'codex', 'goose'])(
  'fake %s: whatever part of the ledger is lost, the session is resumed, and the prompt is not sent again',
  async (id) => {
    const agent = findAgent(id)
    const { where, folder, ledger, record } = await scene(id)
    const io = ioOf(where)
    const intact = readFileSync(ledger, 'utf8')
    const [native_id] = Object.keys(promptsOf(where, agent))
    const decisionOn = (prompt: string): { decision: string; session: string | undefined } => {
      const state = readTaskState(folder)
      const others = (): Set<string> => pinnedElsewhere(id, folder, io)
      const facts = gatherFacts(agent, folder, state, io, others, [], prompt)
      const intent = { agent, command: `ion run ${id}`, cwd: where.home, mode: 'headless', prompt } as const
      const flags = { send: false, isNew: false, steal: false, onOtherPrompt: 'refuse' } as const
      return {
        decision: decide({ ...intent, ...flags }, state, facts).decision,
        session: facts.session?.head.native_id,
      }
    }
    const outcomes = (texts: Record<string, string>): object =>
      Object.fromEntries(
        Object.entries(texts).map(([name, text]) => {
          writeFileSync(ledger, text)
          return [name, [decisionOn(TASK), decisionOn('paint it')]]
        }),
      )
    const wanted = (texts: Record<string, string>): object =>
      Object.fromEntries(
        Object.keys(texts).map((name) => [
          name,
          [
            { decision: 'none', session: native_id },
            { decision: 'refused', session: native_id },
          ],
        ]),
      )
    const all = damaged(intact)
    expect(outcomes(all)).toEqual(wanted(all))
    // An older version kept no record. Then complete lines that are missing cannot be noticed.
    rmSync(record)
    const noticed = Object.fromEntries(
      Object.entries(all).filter(([name]) => !name.startsWith('cut before') && !name.startsWith('without')),
    )
    expect(outcomes(noticed)).toEqual(wanted(noticed))
  },
)

test.each(['with its record', 'without a record'])(
  'an emptied ledger %s: a warning, the same session with the same arguments, and a ledger that is complete again',
  async (how) => {
    const { where, ledger, record, run } = await scene('claude')
    const claude = findAgent('claude')
    const [native_id] = Object.keys(promptsOf(where, claude))
    writeFileSync(ledger, '')
    if (how === 'without a record') rmSync(record)
    const again = await run('run', 'claude', '--headless', TASK)
    expect([again.code, again.out, again.err]).toEqual([
      0,
      ANSWER,
      expect.stringContaining("the task's ledger is empty; its session was found"),
    ])
    expect(ledgerOf(where, claude)).toEqual([expect.objectContaining({ type: 'session', native_id, how: 'found' })])
    const quiet = await run('run', 'claude', '--headless', TASK)
    expect([quiet.code, quiet.out, quiet.err]).toEqual([0, ANSWER, expect.not.stringContaining('ledger')])
    const plan = await run('run', 'claude', '--headless', '--dry-run', '--json', '--send', 'paint it')
    const { native_id: resumed, argv } = JSON.parse(plan.out) as { native_id: string; argv: string[] }
    expect([resumed, argv.includes('opus')]).toEqual([native_id, how === 'with its record'])
    expect(Object.values(promptsOf(where, claude))).toEqual([[TASK]])
  },
)

test('two sessions that may be the lost one: refused in a pipe, asked about in a terminal', async () => {
  const { where, path, folder, ledger, record, run } = await scene('claude')
  const claude = findAgent('claude')
  expect((await run('run', 'claude', '--headless', '--new', TASK)).code).toBe(0)
  writeFileSync(ledger, '\n')
  rmSync(record)
  const refused = await run('run', 'claude', '--headless', TASK)
  expect([refused.code, refused.out, refused.err]).toEqual([
    4,
    '',
    expect.stringMatching(/2 sessions may be its session: \S+, \S+\n {2}-> ion --resume <id>.* --new/),
  ])
  const size = { columns: 160, rows: 24 }
  const window = ionWindow(where, ['run', 'claude'], { path, size })
  await window.shows('[2] ')
  window.type('2\r')
  await window.shows(/resuming session/)
  window.close()
  await window.exit
  expect(existsSync(join(folder, 'session.json'))).toBe(true)
  expect(Object.values(promptsOf(where, claude))).toEqual([[TASK], [TASK]])
})

test('an older version of Ion ignores the record, and --new does not bring the old session back', async () => {
  const { where, ledger, record, run } = await scene('claude')
  const old = `${record}.old`
  copyFileSync(record, old)
  expect((await run('run', 'claude', '--headless', '--new', 'paint it')).code).toBe(0)
  // A record that was not updated: the ledger knows that session, and that it is not the task's any more.
  copyFileSync(old, record)
  expect(await run('run', 'claude', '--headless', 'paint it')).toMatchObject({
    code: 0,
    out: 'I have done it: paint it\n',
  })
  writeFileSync(record, 'garbage')
  expect(await run('run', 'claude', '--headless', 'paint it')).toMatchObject({
    code: 0,
    out: 'I have done it: paint it\n',
  })
  expect(readFileSync(ledger, 'utf8')).not.toContain('recovered')
  expect(Object.values(promptsOf(where, findAgent('claude'))).sort()).toEqual([[TASK], ['paint it']])
})
