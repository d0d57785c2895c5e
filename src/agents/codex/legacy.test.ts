import { appendFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { readContext } from '../../native/read-context.ts'
import { summarise } from '../summarise.ts'
import agent from './index.ts'
import { fixtures, made, openSession, readSession, said } from './test/fixture-session.ts'

const [LEGACY, UNPAIRED, RESUMED] = made(1, 2, 3) as [string, string, string]

const turn = (model: string, cwd = '/home/dev/shop'): object => ({
  type: 'system',
  subtype: 'turn_context',
  content: { cwd, approval_policy: 'on-request', sandbox_policy: { mode: 'workspace-write' }, effort: 'medium' },
  model,
})

describe('a legacy rollout', () => {
  test('each record becomes one event of its kind', () => {
    const { io, head } = openSession('handmade-legacy', LEGACY)
    const model = 'gpt-5.1-codex'
    const { events } = readAll(agent, head, io)
    const long = Array.from({ length: 60 }, (_, i) => `${i}\t"line ${i}" žluťoučký 🚀 \\ back\u001b[32m`).join('\n')
    expect(said(events)).toEqual([
      { type: 'system', subtype: 'instructions', content: '<user_instructions>\nBe brief.\n</user_instructions>' },
      {
        type: 'system',
        subtype: 'instructions',
        content: '# AGENTS.md instructions for /home/dev/shop\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>',
      },
      {
        type: 'system',
        subtype: 'environment',
        content: '<environment_context>\n  <cwd>/home/dev/shop</cwd>\n</environment_context>',
      },
      turn(model),
      {
        type: 'user',
        content: [
          { type: 'text', text: 'Why does the cart test fail?\nSee the picture.' },
          { type: 'image', media_type: 'image/png', data: 'iVBORw0KGgo=' },
        ],
      },
      { type: 'thinking', content: '**Looking** at the cart', model },
      { type: 'system', subtype: 'redacted_thinking', content: null, model },
      {
        type: 'tool_use',
        name: 'shell',
        input: { command: ['bash', '-lc', 'npm test'], workdir: '/home/dev/shop' },
        model,
      },
      { type: 'tool_result', tool_use_id: 'call_1', content: '1 failing\n', is_error: true },
      {
        type: 'system',
        subtype: 'usage',
        content: null,
        token_usage: { input: 600, output: 50, cache_read: 400, cache_write: 0, reasoning: 20 },
        call: { id: `${LEGACY}/1` },
        model,
      },
      { type: 'tool_use', name: 'shell', input: { command: ['cat', 'log'] }, model },
      { type: 'tool_result', tool_use_id: 'call_2', content: long, is_error: false },
      { type: 'tool_use', name: 'apply_patch', input: { input: '*** Begin Patch\n*** End Patch' }, model },
      {
        type: 'tool_result',
        tool_use_id: 'call_3',
        content: 'Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess',
        is_error: false,
      },
      { type: 'tool_use', name: 'web_search', input: { type: 'search', query: 'vitest exit code' }, model },
      { type: 'tool_use', name: 'local_shell', input: { type: 'exec', command: ['ls'] }, model },
      {
        type: 'tool_result',
        tool_use_id: 'call_4',
        content: [
          { type: 'text', text: 'a.ts' },
          { type: 'image', media_type: null, url: 'https://example.invalid/a.png' },
        ],
        is_error: false,
      },
      { type: 'assistant', content: [{ type: 'text', text: 'The total is not rounded.' }], model },
      {
        type: 'system',
        subtype: 'usage',
        content: null,
        token_usage: { input: 1000, output: 100, cache_read: 1000, cache_write: 0, reasoning: 20 },
        call: { id: `${LEGACY}/2` },
        model,
      },
      turn('gpt-5.1-codex-max', '/home/dev/shop/cart'),
      { type: 'user', content: 'Fix it.' },
      { type: 'system', subtype: 'interrupted', content: 'interrupted' },
      { type: 'compaction', summary: 'The cart must round.', replaces: [] },
      { type: 'system', subtype: 'rolled_back', content: { turns: 1 } },
      {
        type: 'native',
        record: {
          timestamp: '2026-03-04T09:00:33.000Z',
          type: 'response_item',
          payload: { type: 'from_the_future', id: 'x_1', text: '?' },
        },
      },
    ])
    expect(head).toMatchObject({
      title: 'Rounding',
      cwd: '/home/dev/shop/cart',
      model: 'gpt-5.1-codex-max',
      format: 'rollout-legacy',
      resumable: true,
    })
  })

  test('a message that is only in an event is kept, a torn line is reported', () => {
    const { events, problems } = readSession('handmade-legacy', UNPAIRED)
    expect(said(events)).toEqual([
      turn('gpt-5.1-codex'),
      { type: 'user', content: 'Twice?' },
      { type: 'system', subtype: 'api_error', content: 'stream closed' },
      { type: 'system', subtype: 'unpaired_agent_message', content: 'Only the screen saw this.' },
      { type: 'system', subtype: 'unpaired_user_message', content: 'And this.' },
    ])
    expect(problems).toEqual([expect.stringMatching(/^not JSON: /)])
  })

  test('usage: token_count until the first token_usage_record, never both, repetitions counted once', () => {
    const { io, head } = openSession('handmade-legacy', RESUMED)
    expect(summarise(agent.read(head, readContext(io)))).toEqual({
      messages: 4,
      tool_calls: 0,
      tokens: { input: 150, output: 30, cache_read: 120, cache_write: 30, reasoning: 11 },
      model: 'gpt-5.1-codex',
      first_prompt: 'Review',
      created_at: '2026-03-04T09:00:42.000Z',
      updated_at: '2026-03-04T09:00:49.000Z',
      problems: 0,
    })
  })

  test('a file that Codex would refuse is listed as not resumable', () => {
    const { head } = openSession('handmade-legacy', made(4)[0]!)
    expect([head.resumable, agent.resumeCommand(head)]).toEqual([false, undefined])
  })
})

test('a new name changes only the session it was given to', () => {
  const io = scratchIo(join(fixtures, 'handmade-legacy'))
  const revision = (): string => listAll(agent, io).heads[1]!.revision
  const unnamed = revision()
  const stamps = (): string[] => [...agent.sources(readContext(io))].map((source) => JSON.stringify(source))
  const before = stamps()
  const line = { id: UNPAIRED, thread_name: 'Named later', updated_at: '2026-03-06T09:00:00Z' }
  appendFileSync(join(io.home, '.codex', 'session_index.jsonl'), `${JSON.stringify(line)}\n`)
  const changed = stamps().filter((source) => !before.includes(source))
  // The session with an earlier name shares the file of names.
  expect(changed.map((source) => source.includes(LEGACY) || source.includes(UNPAIRED))).toEqual([true, true])
  expect(listAll(agent, io).heads.map((head) => head.title)).toEqual([
    'Rounding',
    'Named later',
    'Review',
    'No first line',
  ])
  expect(revision()).not.toBe(unnamed)
  const noted: [string, number][] = []
  for (const _source of agent.sources(readContext(io, { onFolder: (path, time) => noted.push([path, time]) })));
  const file = join(io.home, '.codex', 'session_index.jsonl')
  expect(noted.filter(([path]) => path === file)).toEqual([[file, statSync(file).ctimeMs]])
})
