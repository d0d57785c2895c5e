import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { testStart } from '../../../test/suites/test-start.ts'
import { listAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'
import type { StartRequest } from '../start.ts'
import agent from './index.ts'

testStart(agent, new URL('./', import.meta.url), {
  session: '4d7fc5d4-32f5-4cd3-8a0e-0a1d3c9bb001',
  args: ['--model', 'composer-2.5'],
  unknown: 'new',
})

const start = agent.start!

/** md5 of /home/dev/shop */
const SHOP = '11e9fe063b91149eb10c6daf331adfaa'

function orderIn(io: Io, order: Partial<StartRequest> = {}): StartRequest {
  return {
    session: '4d7fc5d4-32f5-4cd3-8a0e-0a1d3c9bb001',
    prompt: undefined,
    headless: true,
    args: [],
    cwd: '/home/dev/shop',
    folder: join(io.home, 'task'),
    version: '2026.08.11',
    io,
    ...order,
  }
}

function put(...path: readonly string[]): void {
  mkdirSync(dirname(join(...path)), { recursive: true })
  writeFileSync(join(...path), '')
}

describe('cursor: output lines', () => {
  test.each([
    ['{"type":"system","subtype":"init","cwd":"/home/dev/shop","session_id":"4d7f"}', { session: '4d7f' }],
    ['{"type":"assistant","message":{"content":[{"type":"text","text":"I"}]},"session_id":"4d7f"}', undefined],
    ['{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"4d7f"}', { text: 'done' }],
    ['{"type":"result","subtype":"error","is_error":true,"result":"no credit"}', { error: 'no credit' }],
    ['⚠ Workspace Trust Required', undefined],
  ])('%s', (line, reported) => {
    expect(start.parseOutputLine!(line)).toEqual(reported)
  })

  test('an output format that the user chose is left unchanged', () => {
    expect(start.warm(orderIn(scratchIo(), { args: ['--output-format', 'text'] }))).toEqual({
      args: ['-p', '--resume', '4d7fc5d4-32f5-4cd3-8a0e-0a1d3c9bb001', '--workspace', '/home/dev/shop'].concat([
        '--output-format',
        'text',
      ]),
    })
  })
})

describe('cursor: preflight', () => {
  const why = (kind: 'cold' | 'warm', order: StartRequest): string | undefined =>
    start.preflight!(kind, order, readContext(order.io))?.why

  test('a chat without a store would silently start from scratch', () => {
    const io = scratchIo(undefined, { CURSOR_API_KEY: 'test' })
    const order = orderIn(io, { headless: false })
    expect(why('warm', order)).toBe(
      'Cursor CLI has no store of this chat for /home/dev/shop and would silently start another one',
    )
    expect(why('cold', order)).toBeUndefined()
    put(io.home, '.cursor/chats', SHOP, order.session, 'store.db')
    expect(why('warm', order)).toBeUndefined()
    expect(why('warm', { ...order, cwd: '/home/dev/other' })).toContain('/home/dev/other')
  })

  test('the login file is looked for, but not opened', () => {
    const io = scratchIo()
    const order = orderIn(io, { headless: false })
    expect(why('cold', order)).toBe('Cursor CLI is not logged in')
    expect(why('cold', { ...order, args: ['--api-key', 'test'] })).toBeUndefined()
    expect(why('cold', { ...order, io: { ...io, platform: 'darwin' } })).toBeUndefined()
    put(io.home, '.config/cursor/auth.json')
    expect(why('cold', order)).toBeUndefined()
  })

  test('without a terminal each folder must be trusted', () => {
    const io = scratchIo(undefined, { CURSOR_API_KEY: 'test' })
    const order = orderIn(io)
    const untrusted = 'without a terminal Cursor CLI works only in trusted folders: /home/dev/shop'
    expect(why('cold', order)).toBe(untrusted)
    expect(why('cold', { ...order, headless: false })).toBeUndefined()
    expect(why('cold', { ...order, args: ['--trust'] })).toBeUndefined()
    const { file, content, sets } = start.prepare!.trust!({ cwd: order.cwd, io })
    expect([file, sets, JSON.parse(content)]).toEqual([
      join(io.home, '.cursor/projects/home-dev-shop/.workspace-trusted'),
      'trust of /home/dev/shop',
      { trustedAt: '2026-11-16T00:00:00.000Z', workspacePath: '/home/dev/shop' },
    ])
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
    expect(why('cold', order)).toBeUndefined()
    expect(why('cold', { ...order, cwd: '/home/dev/shop/sub' })).toBe(`${untrusted}/sub`)
  })

  test('an existing mark of trust is not changed', () => {
    const io = scratchIo()
    const { file, content } = start.prepare!.trust!({ cwd: '/home/dev/shop', io })
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
    const later = { ...io, now: () => new Date('2027-01-01T00:00:00Z') }
    expect(start.prepare!.trust!({ cwd: '/home/dev/shop', io: later }).content).toBe(content)
  })

  test('for a long path the mark is unknown, so nothing is claimed', () => {
    const io = scratchIo(undefined, { CURSOR_API_KEY: 'test' })
    const cwd = `/home/dev/${'long/'.repeat(20)}`
    expect([why('cold', orderIn(io, { cwd })), start.dialogs!({ cwd, io, args: [] })]).toEqual([undefined, []])
    expect(() => start.prepare!.trust!({ cwd, io })).toThrow('too long to know')
  })
})

test('cursor: the dialog is uncertain, since it was never observed', () => {
  expect(start.dialogs!({ cwd: '/home/dev/shop', io: scratchIo(), args: [] })).toEqual([
    { id: 'trust', asks: 'asks whether you trust this folder', certain: false },
  ])
})

test('cursor: a chat that was never used is not listed', () => {
  const io = { ...scratchIo(), cwd: '/home/dev/shop' }
  put(io.home, '.cursor/chats', SHOP, 'x', 'meta.json')
  expect(listAll(agent, io).heads).toEqual([])
})
