import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { scratchFolder, scratchIo } from '../../../test/support/scratch.ts'
import { sessionId } from '../../events/id.ts'
import { isProblem, type Problem } from '../../events/item.ts'
import type { IonEvent } from '../../events/schema.ts'
import type { SessionHead } from '../../events/session.ts'
import { readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'
import agent from './index.ts'

const exported = 'T-5928a90d-d53b-488f-a829-4e36442142ee'
const current = (): Io => scratchIo(fileURLToPath(new URL('./fixtures/0.0.1790142911', import.meta.url)))

/** The events without their common fields. */
function contentOf(events: readonly IonEvent[]): unknown[] {
  return events.slice(1).map(({ seq: _seq, parent_id: _parent, ...event }) => event)
}

describe('amp: threads on the server', () => {
  /** A program called amp that prints what the real one printed, and records its arguments. */
  function withAmp(
    body: string,
    env: Record<string, string> = { AMP_API_KEY: 'test-key' },
  ): { io: Io; calls: () => unknown[] } {
    const io = current()
    const bin = scratchFolder()
    const log = join(bin, 'calls.jsonl')
    writeFileSync(
      join(bin, 'amp'),
      `#!${process.execPath}
const { appendFileSync, readFileSync } = require('node:fs')
const args = process.argv.slice(2)
appendFileSync(${JSON.stringify(log)}, JSON.stringify(args) + '\\n')
const server = ${JSON.stringify(join(io.home, 'server'))}
${body}`,
      { mode: 0o755 },
    )
    writeFileSync(log, '')
    const calls = (): unknown[] =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    return { io: { ...io, env: { ...io.env, PATH: bin, ...env } }, calls }
  }

  const real = `
const file = args[1] === 'list' ? 'list.json' : args[2] + '.json'
try { process.stdout.write(readFileSync(server + '/' + file)) }
catch { console.error('Thread https://ampcode.com/threads/' + args[2] + ' does not exist.'); process.exit(1) }`

  const listRemote = (io: Io): { heads: SessionHead[]; problems: Problem[] } => {
    const found = [...agent.remote!(readContext(io))]
    return { heads: found.filter((item) => !isProblem(item)) as SessionHead[], problems: found.filter(isProblem) }
  }

  test('are listed and read through the program', () => {
    const { io, calls } = withAmp(real)
    const { heads, problems } = listRemote(io)
    expect(problems).toEqual([])
    expect(heads).toEqual([
      {
        id: sessionId('amp', exported),
        agent: 'amp',
        native_id: exported,
        path: `https://ampcode.com/threads/${exported}`,
        title: 'What is VAT?',
        cwd: '/home/dev3/projects/shop',
        created_at: null,
        updated_at: '2026-11-15T18:45:00.000Z',
        model: null,
        bytes: 0,
        revision: '2026-11-15T18:45:00.000Z:4',
        agent_version: null,
        format: 'remote-export',
        resumable: true,
      },
    ])
    const read = readAll(agent, heads[0]!, io)
    expect(read.problems).toEqual([])
    expect(read.events[0]).toMatchObject({ type: 'session_start', timestamp: '2026-11-15T18:40:00.000Z' })
    const sent = { timestamp: '2026-11-15T18:40:00.000Z' }
    const answered = { timestamp: '2026-11-15T10:00:01.000Z' }
    expect(contentOf(read.events)).toEqual([
      { type: 'user', id: 'm0', ...sent, content: 'What is VAT? 世界 🚀' },
      {
        type: 'assistant',
        id: 'm1',
        ...answered,
        model: 'stub-model',
        token_usage: { input: 10, output: 5, cache_read: 0, cache_write: 0, reasoning: 0 },
        call: { id: '2026-11-15T10:00:01.000Z/stub-model/10-5-0-0' },
        content: [{ type: 'text', text: 'I will read it.' }],
      },
      {
        type: 'tool_use',
        id: 'toolu_1',
        ...answered,
        name: 'Read',
        input: { path: '/home/dev3/projects/shop/src/tax.js' },
      },
      {
        type: 'tool_result',
        id: 'm2',
        ...answered,
        timestamp_guessed: true,
        tool_use_id: 'toolu_1',
        content: '1: export const VAT = 0.25;',
        is_error: false,
      },
      {
        type: 'assistant',
        id: 'm3',
        ...answered,
        timestamp_guessed: true,
        content: [{ type: 'text', text: 'VAT is 25 %.' }],
      },
    ])
    expect(calls()).toEqual([
      ['threads', 'list', '--json', '--include-archived', '--limit', '500'],
      ['threads', 'export', exported],
    ])
  })

  test('a long list is requested page by page', () => {
    const { io, calls } = withAmp(`
const offset = Number(args[7] ?? 0)
const id = (n) => 'T-00000000-0000-4000-8000-' + String(n).padStart(12, '0')
console.log(JSON.stringify(Array.from({ length: offset ? 3 : 500 }, (_, n) => ({ id: id(offset + n), title: '' }))))`)
    const { heads } = listRemote(io)
    expect(heads.length).toBe(503)
    expect(calls().at(-1)).toEqual([
      'threads',
      'list',
      '--json',
      '--include-archived',
      '--limit',
      '500',
      '--offset',
      '500',
    ])
  })

  test('without a key the program is not even started', () => {
    const { io, calls } = withAmp(real, {})
    const problem = {
      code: 'remote_failed',
      problem: 'AMP_API_KEY is not set; Amp needs it to reach its server',
      path: 'https://ampcode.com',
    }
    expect(listRemote(io)).toEqual({ heads: [], problems: [problem] })
    const [head] = listRemote({ ...io, env: { ...io.env, AMP_API_KEY: 'test-key' } }).heads
    expect(readAll(agent, head!, io)).toMatchObject({
      events: [{ type: 'session_start' }],
      problems: [{ problem: problem.problem, path: head!.path }],
    })
    expect(calls().length).toBe(1)
  })

  test('a program that is missing, fails or prints something else is reported', () => {
    const failing = withAmp("console.error('Error:\\n  Invalid or missing API key.'); process.exit(1)").io
    const talking = withAmp("console.log('Log in at https://…')").io
    const empty = withAmp("console.log('{}')").io
    const missing: Io = { ...failing, env: { ...failing.env, PATH: '', AMP_URL: 'http://127.0.0.1:1/' } }
    expect([failing, talking, empty, missing].map((io) => listRemote(io).problems)).toEqual([
      [
        {
          code: 'remote_failed',
          problem:
            '`amp threads list --json --include-archived --limit 500` failed with exit code 1: ' +
            'Error: Invalid or missing API key.',
          path: 'https://ampcode.com',
        },
      ],
      [{ code: 'remote_failed', problem: expect.stringMatching(/^not JSON: /), path: 'https://ampcode.com' }],
      [{ code: 'remote_failed', problem: '`amp threads list --json` gave no list', path: 'https://ampcode.com' }],
      [
        {
          code: 'remote_failed',
          problem: 'the program `amp` is not on the PATH; install it: npm install -g @ampcode/cli',
          path: 'http://127.0.0.1:1',
        },
      ],
    ])
  })

  test('an invalid id never reaches the command line', () => {
    const { io, calls } = withAmp(`console.log(JSON.stringify([{ id: '--help' }, { id: 7 }]))`)
    const problem = { code: 'remote_failed', problem: 'a listed thread has no valid id', path: 'https://ampcode.com' }
    expect(listRemote(io)).toEqual({ heads: [], problems: [problem, problem] })
    const head = { ...listAll(agent, current()).heads[0]!, native_id: '--help', format: 'remote-export' }
    expect(readAll(agent, head, io).problems).toEqual([
      { code: 'remote_failed', problem: '--help is not the id of a thread', path: head.path },
    ])
    expect(calls().length).toBe(1)
  })

  test('the server is queried only on request', () => {
    const { io, calls } = withAmp(real)
    for (const head of listAll(agent, io).heads) readAll(agent, head, io)
    expect(calls()).toEqual([])
  })
})
