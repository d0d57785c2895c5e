import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { findAgent } from '../../src/agents/find.ts'
import { installFake, logins } from './fake-agent.ts'
import { machine, type Outcome, runIon } from './run-ion.ts'

const message = (id: number, role: string, text: string): object => ({
  id,
  role,
  message: text,
  time: `2026-11-16T10:00:0${id}.5Z`,
})
const state = (...messages: object[]): string =>
  JSON.stringify({ version: 1, messages, initial_prompt: '', initial_prompt_sent: true })

const [hello, asked] = [message(0, 'agent', 'Welcome'), message(1, 'user', 'Fix the refund test')]
const older = state(hello, asked, message(2, 'agent', 'I look'))
const newer = state(hello, asked, message(2, 'agent', 'I looked, and mended it'), message(3, 'user', 'Thanks'))

test('an agentapi chat is imported as one session that grows and never shrinks', async () => {
  const where = machine()
  const file = join(where.root, 'state.json')
  const take = async (text: string): Promise<unknown> => {
    writeFileSync(file, text)
    const { code, out, err } = await runIon(where, [
      'import',
      '--json',
      '--agent',
      'claude-code',
      '--cwd',
      '/gone',
      file,
    ])
    return code === 0 ? (JSON.parse(out) as { added: number }).added : [code, err]
  }
  const exported = async (): Promise<string> => {
    const { out } = await runIon(where, ['sessions', '--all', '--json'])
    const { id, agent, title, cwd, resumable } = JSON.parse(out) as Record<string, unknown>
    expect({ agent, title, cwd, resumable }).toEqual({
      agent: 'claude',
      title: 'Fix the refund test',
      cwd: '/gone',
      resumable: false,
    })
    return (await runIon(where, ['export', String(id), '--format', 'jsonl'])).out
  }
  expect([await take(older), await take(older)]).toEqual([4, 0])
  expect([await take(newer), await take(newer)]).toEqual([2, 0])
  const whole = await exported()
  const texts = whole
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { content?: unknown }).content)
  expect(texts.slice(1)).toEqual([
    [{ type: 'text', text: 'Welcome' }],
    'Fix the refund test',
    [{ type: 'text', text: 'I looked, and mended it' }],
    'Thanks',
  ])
  expect([await take(older), await take(state(hello, asked))]).toEqual([0, 0])
  expect(await exported()).toBe(whole)
  expect(await take(state())).toEqual([2, expect.stringContaining('the chat is empty; nothing was imported')])
  const unnamed = await runIon(where, ['import', file])
  expect([unnamed.code, unnamed.err]).toEqual([2, expect.stringContaining('the chat is empty')])
})

test('ion run --agentapi restores a chat that agentapi has lost, and says so', async () => {
  const where = machine()
  const PATH = installFake(where, [findAgent('claude')])
  const left = join(where.root, 'left.json')
  // Loads nothing, runs nothing, and saves its arguments as its state.
  const fake = `#!/bin/sh
while [ "$1" != -- ]; do [ "$1" = --state-file ] && state="$2"; shift; done
cp "$state" "${where.root}/found.json" 2>/dev/null
cp "${left}" "$state"
`
  const program = join(PATH.split(':')[0]!, 'agentapi')
  mkdirSync(dirname(program), { recursive: true })
  writeFileSync(program, fake)
  chmodSync(program, 0o755)
  const run = async (leaves: string): Promise<Outcome> => {
    writeFileSync(left, leaves)
    return runIon(where, ['run', 'claude', '--agentapi', '--task', 'chat', 'x'], {
      env: { PATH: `${PATH}:/usr/bin:/bin`, ...logins },
    })
  }
  await run(newer)
  expect((await run(state(hello))).err).not.toContain('restored')
  const third = await run(newer)
  expect(third.err).toContain('agentapi left 1 of 4 messages: restored the last good chat')
  expect(readFileSync(join(where.root, 'found.json'), 'utf8')).toBe(newer)
  const folder = join(where.ionHome, 'tasks')
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.includes('agentapi-state'),
  )
  expect(names.map((name) => name.replace(/.*\/agentapi-state/, '').replace(/[0-9a-f]{8}/, '#')).sort()).toEqual([
    '.#.json',
    '.json',
    '.previous.json',
  ])
})

test.skipIf(process.platform !== 'linux')('waits for an agent that exits after agentapi', async () => {
  const where = machine()
  const bin = join(where.root, 'bin')
  const [ready, ended] = [join(where.root, 'ready'), join(where.root, 'ended')]
  mkdirSync(bin)
  const programs = {
    // Leaves the agent running.
    agentapi: `while [ "$1" != -- ]; do shift; done; shift
"$@" > /dev/null 2>&1 &
while [ ! -e "${ready}" ]; do sleep 0.1; done`,
    claude: `[ "$1" = --version ] && echo '2.1.325 (Claude Code)' && exit
trap 'sleep 1; touch "${ended}"; exit' TERM
touch "${ready}"
while :; do sleep 0.1; done`,
  }
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  const env = { PATH: `${bin}:/usr/bin:/bin`, ...logins }
  await runIon(where, ['run', 'claude', '--agentapi', 'x'], { env })
  expect(existsSync(ended)).toBe(true)
})
