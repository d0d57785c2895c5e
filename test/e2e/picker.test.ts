import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findAgent } from '../../src/agents/find.ts'
import { fillWithSamples } from '../support/sample-home.ts'
import { treeState } from '../support/scratch.ts'
import { until } from '../support/wait-until.ts'
import { writeClaude } from './claude-session.ts'
import { installFake, promptsOf } from './fake-agent.ts'
import { listed, type Machine, machine } from './run-ion.ts'
import { ionWindow, pathWith, type Window } from './terminal.ts'

function samples(): Machine {
  const where = machine()
  fillWithSamples(where.home)
  return where
}

/** The picker with all sessions, when it has loaded them. */
async function picker(where: Machine, size = { columns: 80, rows: 24 }): Promise<Window> {
  const window = ionWindow(where, ['sessions', '--all'], { path: pathWith(where.root), size })
  await window.shows(/ [1-9]\d* of \d+/)
  await until(() => expect(window.text()).not.toMatch(/loading|reading|checking/))
  return window
}

/** By file; without the times, which restoring does not keep. */
function hashes(folder: string): Record<string, string> {
  const state = Object.entries(treeState(folder))
  return Object.fromEntries(state.map(([path, hashAndTime]) => [path, hashAndTime.split(' ')[0]!]))
}

const ENTER = '\r'
const ESCAPE = '\x1b'
const ctrl = (letter: string): string => String.fromCharCode(letter.charCodeAt(0) - 96)

test('a part of a word finds text, Enter opens the session there, and Escape clears before it quits', async () => {
  const window = await picker(samples())
  window.type('webho')
  await window.shows(/text of \d+ sessions searched/)
  await window.shows(/^>.*" claude .*webhook/m)
  window.type(ENTER)
  await until(() => expect(window.raw().split('\x1b[?1049l').length).toBeGreaterThan(1))
  await window.shows('webhook')
  window.type('q')
  await window.shows('F1 help')
  window.type(ESCAPE)
  await window.shows('> type to filter')
  window.type('?')
  await window.shows('any other key closes')
  window.type('x')
  await window.shows('esc quit')
  window.type(ESCAPE)
  expect(await window.exit).toBe(0)
})

test('tags, names and pins are saved while the picker stays open', async () => {
  const where = samples()
  const window = await picker(where, { columns: 120, rows: 40 })
  window.type('gift cards')
  await window.shows(/^>.*Spec for gift cards/m)
  window.type(`${ctrl('t')}t`)
  await window.shows('tags>')
  window.type(`money later${ENTER}`)
  await window.shows('+money +later: Spec for gift cards')
  window.type(`${ctrl('t')}p`)
  await window.shows('pinned: Spec for gift cards')
  window.type(`${ctrl('t')}r`)
  await window.shows('name> Spec for gift cards')
  window.type(`${ctrl('u')}Vouchers${ENTER}`)
  await window.shows('renamed: Vouchers')
  window.type(ctrl('c'))
  expect(await window.exit).toBe(0)
  const rows = await listed(where)
  expect(rows.filter(({ pinned }) => pinned).map(({ title, name, tags }) => [title, name, tags])).toEqual([
    ['Vouchers', 'Vouchers', ['later', 'money']],
  ])
})

test('several sessions are removed after a question that shows them, and restored', async () => {
  const where = samples()
  const store = join(where.home, '.claude')
  const before = hashes(store)
  const window = await picker(where)
  window.type('claude')
  await window.shows(/^> .* claude .*\n .* claude /m)
  window.type('\t\t')
  await window.shows('2 marked')
  window.type(ctrl('x'))
  await window.shows(/Remove 2 sessions \(.*\) from the agents' stores\?/)
  window.type('y')
  await window.shows(/removed 2 sessions .* ctrl-x u restores/)
  expect(hashes(store)).toEqual({})
  await window.shows('[archive]')
  window.type(ctrl('x'))
  await window.shows('u undo the last removal')
  window.type('u')
  await window.shows('restored 2 sessions')
  expect(hashes(store)).toEqual(before)
  window.type(ctrl('c'))
  expect(await window.exit).toBe(0)
})

test('exports to a file, shares masked, and says so', async () => {
  const where = samples()
  const window = await picker(where, { columns: 100, rows: 12 })
  window.type(ctrl('e'))
  await window.shows('export to>')
  window.type(`${ctrl('u')}~/one.html${ENTER}`)
  await window.shows('wrote ~/one.html')
  expect(readFileSync(join(where.home, 'one.html'), 'utf8')).toMatch(/^<!doctype html>/i)
  window.type(ctrl('s'))
  await window.shows('share to>')
  window.type(`${ctrl('u')}~/one.html${ENTER}`)
  await window.shows('already exists')
  window.type(ctrl('s'))
  await window.shows('share to>')
  window.type(`${ctrl('u')}~/shared.md${ENTER}`)
  await window.shows('wrote ~/shared.md')
  expect(existsSync(join(where.home, 'shared.md'))).toBe(true)
  window.type(ctrl('c'))
  expect(await window.exit).toBe(0)
})

test('hands a session over to an installed agent, which opens with it; and forks one', async () => {
  const where = machine()
  const path = installFake(where)
  const cwd = where.home
  writeClaude(where, { id: '3f2a0000-0000-4000-8000-000000000001', cwd, prompt: 'Fix the refund', answer: 'Fixed' })
  const open = async (): Promise<Window> => {
    const window = ionWindow(where, ['sessions', '--all'], { path, size: { columns: 100, rows: 30 } })
    await window.shows(/^>.*Fix the refund/m)
    await until(() => expect(window.text()).not.toMatch(/loading|reading|checking/))
    return window
  }
  const first = await open()
  first.type(`${ctrl('k')}f`)
  await first.shows(/forked as [0-9a-f]{8}: Fix the refund/)
  await first.shows('Fix the refund (copy)')
  first.type(ctrl('c'))
  expect(await first.exit).toBe(0)
  const second = await open()
  second.type(ctrl('k'))
  await second.shows('a in an agent')
  second.type('a')
  await second.shows(/continue in>/)
  await second.shows('claude (a clean copy)')
  second.type('codex')
  await second.shows(/^> codex +$/m)
  second.type(ENTER)
  await second.shows(/wrote session [0-9a-f]{8} of Claude Code to Codex as /)
  await second.shows(/codex \(fake\), session [0-9a-f-]{36}/)
  // Nothing was sent.
  expect(Object.values(promptsOf(where, findAgent('codex'), cwd))).toEqual([['Fix the refund']])
  second.type('And the docs\r')
  await second.shows('I have done it: And the docs')
  second.type('/quit\r')
  expect(await second.exit).toBe(0)
  expect(Object.values(promptsOf(where, findAgent('codex'), cwd))).toEqual([['Fix the refund', 'And the docs']])
})
