import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { testAgent } from '../../../test/suites/test-agent.ts'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import type { SessionHead } from '../../events/session.ts'
import { readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'
import agent from './index.ts'

testAgent(agent, new URL('./fixtures/', import.meta.url), {
  sessions: {
    '0.36.0': [
      '0a6e0000-0000-4000-8000-00000000000c',
      '51e7e71c-0000-4000-8000-00000000000a',
      '568d29d1-69e1-41ee-915d-9c5c8df49c1d',
      '5d4e54aa-c461-4ee9-8a21-82fbf654777a',
      '7191ab00-0000-4000-8000-00000000000b',
      '8b00fa32-2547-47d3-9545-45eb4f395342',
      '9b1df380-6979-4017-9c59-ca69902d4ea5',
      'a62505ea-9311-488c-946b-9884ad6e0bc8',
      'c1d5ad58-add4-4eef-9a0e-3889949c6792',
      'c6d3fa9e-2ccf-49fa-b044-e3e8ea7dd10b',
    ],
    'handmade-nodes': ['a0000000-0000-4000-8000-0000000000aa', 'a0000000-0000-4000-8000-0000000000bb'],
  },
  meaning: {
    'a0000000-0000-4000-8000-0000000000aa': {
      typed: ['What is in these?\n[image image/jpeg]\n[file plan.pdf]', 'never answered'],
      tokens: { input: 30, output: 9, cache_read: 4, cache_write: 2 },
      failed: ['call-1'],
    },
  },
  lacks: { branches: 'its history is a list' },
  // No variable moves the store.
  overrides: [],
})

const fixture = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url))
const tui = '9b1df380-6979-4017-9c59-ca69902d4ea5'

function headOf(io: Io, native: string): SessionHead {
  return listAll(agent, io).heads.find((head) => head.native_id === native)!
}

function sessionPath(io: Io, native: string): string {
  return join(io.home, '.augment/sessions', `${native}.json`)
}

describe('auggie: the list', () => {
  test('a head, complete: the folder is that of the first request', () => {
    const io = scratchIo(fixture('0.36.0'))
    const head = headOf(io, tui)
    const { revision, ...rest } = head
    expect(rest).toEqual({
      id: tui,
      agent: 'auggie',
      native_id: tui,
      path: sessionPath(io, tui),
      title: 'Stub title',
      cwd: '/home/dev3/projects/shop',
      created_at: '2026-11-15T19:08:12.356Z',
      updated_at: '2026-11-15T19:08:37.788Z',
      model: 'stub-model',
      bytes: 5685,
      agent_version: null,
      format: 'json',
      resumable: true,
    })
    expect(revision).toMatch(/^\d+:5685:\d/)
    expect(agent.resumeCommand(head)).toEqual(['auggie', '--resume', tui])
    expect(headOf(io, 'c1d5ad58-add4-4eef-9a0e-3889949c6792').cwd).toBe('/home/dev3/projects/shop')
  })

  test('titles: from the model, the first prompt, the first text, or none', () => {
    const titles = (name: string): unknown => listAll(agent, scratchIo(fixture(name))).heads.map((head) => head.title)
    expect(titles('0.36.0')).toEqual([
      'NOCOMPL user',
      'SYNTH user: what is VAT?',
      'Stub title',
      'Run [[SHELL echo out; exit 3]]',
      'TINY user',
      null,
      'Stub title',
      'Grüße 世界 🚀 quote " backslash \\',
      'Cold with json [[READ src/cart.js]]',
      'Kill after tool [[READ src/tax.js]] THENSLOW',
    ])
    expect(titles('handmade-nodes')).toEqual(['What is in these?', 'only nodes'])
  })

  test.each([2, 0])('a large file, indented by %i, gives the same head as a small one', (indent) => {
    const io = scratchIo(fixture('0.36.0'))
    const path = sessionPath(io, tui)
    const small = headOf(io, tui)
    const session = JSON.parse(readFileSync(path, 'utf8'))
    session.chatHistory[1].exchange.request_nodes[1].tool_result_node.content = '  "customTitle": "no",\n'.repeat(
      20_000,
    )
    writeFileSync(path, JSON.stringify(session, null, indent))
    const reading = readContext(io)
    const [source] = [...agent.sources(reading)].filter((each) => each.path === path)
    const [large] = [...agent.heads(source as never, reading)]
    expect(large).toEqual({ ...small, bytes: expect.any(Number), revision: expect.any(String) })
    // With Auggie's indentation only both ends are read.
    expect(reading.bytes < 100 * 1024).toBe(indent === 2)
  })

  test('a file that Auggie would refuse is listed as not resumable', () => {
    const io = scratchIo(fixture('0.36.0'))
    writeFileSync(sessionPath(io, tui), JSON.stringify({ sessionId: tui, chatHistory: [] }))
    const head = headOf(io, tui)
    expect([head.resumable, head.created_at, agent.resumeCommand(head)]).toEqual([false, null, undefined])
  })
})

test('auggie: a file that is not a session is one problem, and the others are listed', () => {
  const io = scratchIo(fixture('0.36.0'))
  const whole = readFileSync(sessionPath(io, tui), 'utf8')
  const head = headOf(io, tui)
  for (const text of ['', 'null', '[]', '"x"', whole.slice(0, 3000), '\u0000garbage']) {
    writeFileSync(sessionPath(io, tui), text)
    const { heads, problems } = listAll(agent, io)
    expect([heads.length, problems.map((problem) => problem.path)]).toEqual([9, [sessionPath(io, tui)]])
    // It may have become so after it was listed.
    const reading = readContext(io)
    const read = readAll(agent, head, io, reading)
    expect(read.events.map((event) => event.type)).toEqual(['session_start'])
    expect([read.problems.length, reading.coverage.bad]).toEqual([1, 1])
  }
})
