import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { testStart } from '../../../test/suites/test-start.ts'
import { listAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'
import type { StartRequest } from '../start.ts'
import agent from './index.ts'

vi.mock(import('node:os'), async (original) => ({ ...(await original()), networkInterfaces: vi.fn(() => ({})) }))

const THREAD = 'T-01a1e097-8970-7135-8ef0-e238aac5673f'

testStart(agent, new URL('./', import.meta.url), { session: THREAD, args: ['--mode', 'rush'] })

const start = agent.start!
const prompt = { text: 'do it', argument: 'do it', file: '/task/prompts/1.txt' }

function requestIn(io: Io, fields: Partial<StartRequest> = {}): StartRequest {
  return {
    session: THREAD,
    prompt,
    headless: true,
    args: [],
    cwd: '/home/dev/shop',
    folder: '/task',
    version: '0.0.1768018268-gcd18ba',
    io,
    ...fields,
  }
}

describe('amp: commands', () => {
  test('a thread of the current build is not archived after its first turn', () => {
    const argsOf = (kind: 'cold' | 'warm', version: string | undefined): readonly string[] =>
      start[kind](requestIn(scratchIo(), { version })).args
    const bare = ['-x', '--stream-json']
    expect(argsOf('cold', '0.0.1768018268-gcd18ba')).toEqual(bare)
    expect(argsOf('cold', '0.0.1790142911-g7618fb')).toEqual([...bare, '--no-archive-after-execute'])
    expect(argsOf('cold', undefined)).toEqual([...bare, '--no-archive-after-execute'])
    expect(argsOf('warm', '0.0.1790142911-g7618fb')).toEqual(['threads', 'continue', THREAD, ...bare])
  })
})

describe('amp: output', () => {
  // As the build of 2026-01 printed them: a prompt, a tool and an answer, and an error of the model.
  const lines = readFileSync(new URL('./examples/stream.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')

  test('reports the thread, the received prompt, the answer, and why a turn failed', () => {
    const session = 'T-01a1e19b-7ad0-74af-bf7d-be9938935047'
    expect(lines.map((line) => start.parseOutputLine!(line))).toEqual([
      { session },
      { session, promptReceived: true },
      { session },
      // The result of a tool is not a prompt.
      { session },
      { session },
      { session, text: 'tool said: tool-ran' },
      { session, error: '400 {"type":"error","error":{"type":"invalid_request_error","message":"stub error 400"}}' },
    ])
  })

  test('ignores invalid thread ids and lines that are not JSON', () => {
    expect(start.parseOutputLine!('No API key found. Starting login flow...')).toBeUndefined()
    expect(start.parseOutputLine!('{"type":"system","session_id":"../../etc/passwd"}')).toEqual({})
  })
})

describe('amp: preflight', () => {
  const refusal = (io: Io, fields: Partial<StartRequest> = {}): unknown =>
    start.preflight!('cold', requestIn(io, fields), readContext(io))
  const server = { AMP_URL: 'http://127.0.0.1:8902' }
  const login = { why: 'Amp is not logged in', hint: 'amp login, or set AMP_API_KEY' }

  test('not logged in: it would wait forever when it cannot ask', () => {
    const io = scratchIo(undefined, server)
    expect(refusal(io)).toEqual(login)
    expect(refusal(io, { headless: false })).toEqual(login)
    expect(refusal(io, { headless: false, prompt: undefined })).toBeUndefined()
    expect(start.dialogs!({ cwd: '/', io, args: [] })).toEqual([
      { id: 'login', asks: 'asks you to log in', certain: true },
    ])
    expect(refusal(scratchIo(undefined, { ...server, AMP_API_KEY: 'sk-test' }))).toBeUndefined()
    const data = join(io.home, '.local/share/amp')
    mkdirSync(data, { recursive: true })
    // Not JSON: nobody reads it.
    writeFileSync(join(data, 'secrets.json'), '-')
    expect(refusal(io)).toBeUndefined()
    expect(start.dialogs!({ cwd: '/', io, args: [] })).toEqual([])
  })

  test('no network, unless the server is on this machine', () => {
    const env = { AMP_API_KEY: 'sk-test' }
    const offline = {
      why: 'Amp needs its server, and this machine has no network',
      hint: 'connect it and try again',
    }
    const address = { netmask: '', family: 'IPv4' as const, mac: '', cidr: null }
    const loopback = { ...address, address: '127.0.0.1', internal: true }
    vi.mocked(networkInterfaces).mockReturnValue({ lo: [loopback] })
    expect(refusal(scratchIo(undefined, env))).toEqual(offline)
    expect(refusal(scratchIo(undefined, { ...env, ...server }))).toBeUndefined()
    vi.mocked(networkInterfaces).mockReturnValue({
      lo: [loopback],
      eth0: [{ ...address, address: '192.0.2.7', internal: false }],
    })
    expect(refusal(scratchIo(undefined, env))).toBeUndefined()
  })

  test.each(['Would you like to log in to Amp? [(y)es, (n)o]:', 'When prompted, paste your code here:'])(
    'recognises the login on the screen: %s',
    (text) => expect(start.screens!.filter(({ pattern }) => pattern.test(text)).map(({ id }) => id)).toEqual(['login']),
  )
})

describe('amp: threads on the server', () => {
  test('a pinned thread that the store does not list is on the server, unless it was a local file', () => {
    const { isRemoteOnly: has, head } = start.remote!
    const found = head(THREAD, [])!
    expect(found).toMatchObject({ native_id: THREAD, format: 'server-thread', resumable: true })
    expect(has(found)).toBe(true)
    expect(head(THREAD, [`/home/dev/.local/share/amp/threads/${THREAD}.json`])).toBeUndefined()
  })

  test('a thread in a file is local; an archived one is marked hidden', () => {
    const io = scratchIo()
    const folder = join(io.home, '.local/share/amp/threads')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `${THREAD}.json`), JSON.stringify({ id: THREAD, v: 1, archived: true, messages: [] }))
    const { heads } = listAll(agent, io)
    expect(heads).toMatchObject([{ native_id: THREAD, hidden: true, resumable: true }])
    expect(start.remote!.isRemoteOnly(heads[0]!)).toBe(false)
  })
})
