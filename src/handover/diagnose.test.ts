import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { listAll } from '../../test/support/read-all.ts'
import { sampleIo } from '../../test/support/sample-home.ts'
import { scratchIo } from '../../test/support/scratch.ts'
import { agents } from '../agents/_registry.ts'
import type { Agent } from '../agents/agent.ts'
import type { IonEvent } from '../events/event.ts'
import type { SessionItem } from '../events/item.ts'
import { readContext } from '../native/read-context.ts'
import type { Io } from '../platform/io.ts'
import { diagnose } from './diagnose.ts'

type Given = { readonly type: IonEvent['type']; readonly id?: string; readonly [name: string]: unknown }

const prompt = (content = 'Go on'): Given => ({ type: 'user', content })
const answer = (text = 'Done'): Given => ({ type: 'assistant', content: [{ type: 'text', text }] })
const call = (id: string): Given => ({ type: 'tool_use', id, name: 'bash', input: {} })
const result = (id: string): Given => ({ type: 'tool_result', tool_use_id: id, content: 'ok', is_error: false })
const error = (content: unknown): Given => ({ type: 'system', subtype: 'api_error', content })

/** `[ailment, likelihood, count]` of each finding. */
function found(...given: Given[]): unknown[] {
  const items = given.map((event, seq): SessionItem => {
    const id = event.id ?? `e${seq}`
    const parent_id = seq === 0 ? null : (given[seq - 1]!.id ?? `e${seq - 1}`)
    return { event: { seq, parent_id, timestamp: '2026-11-15T18:00:00.000Z', ...event, id } as unknown as IonEvent }
  })
  return diagnose(() => items).findings.map(({ ailment, likelihood, count }) => [ailment, likelihood, count])
}

test.each<[string, unknown]>([
  [
    'thinking_signature',
    'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.1.content.0: Invalid `signature` in `thinking` block"}}',
  ],
  [
    'thinking_signature',
    { error: { code: 400, message: 'Unable to submit request because Thought signature is not valid..' } },
  ],
  ['thinking_signature', { message: 'Function call is missing a thought_signature in functionCall parts.' }],
  [
    'sealed_reasoning',
    '{\n "error": {\n "message": "The encrypted content gAAA...Rg== could not be verified.",\n "code": "invalid_encrypted_content"\n }\n}',
  ],
  ['sealed_reasoning', { error: { code: 'invalid_encrypted_content' } }],
  [
    'call_without_result',
    'messages.19: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01.',
  ],
  ['call_without_result', 'No tool output found for function call call_x1.'],
  [
    'result_without_call',
    'messages.56.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_01. Each `tool_result` …',
  ],
  ['result_without_call', 'No tool call found for function call output with call_id call_x1.'],
  ['call_id', "messages.3.content.1.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"],
  ['call_id', "Invalid 'input[4].call_id': string too long. Expected a string with maximum length 64."],
  ['empty_text', 'messages: text content blocks must be non-empty'],
  [
    'empty_text',
    'messages.4: all messages must have non-empty content except for the optional final assistant message',
  ],
])('%s: what the provider said last', (ailment, said) => {
  expect(found(prompt(), answer(), prompt(), error(said))).toEqual([[ailment, 'reported', 1]])
  // It was answered since.
  expect(found(prompt(), error(said), prompt(), answer())).toEqual([])
})

test('other errors say nothing about the session', () => {
  expect(found(prompt(), error('API Error: 529 overloaded_error'), error({ message: 'prompt is too long' }))).toEqual(
    [],
  )
  expect(found(prompt(), answer('invalid_encrypted_content'), prompt('Invalid signature in thinking block'))).toEqual(
    [],
  )
})

test('a call without a result is no harm at the end, and is one in the middle', () => {
  expect(found(prompt(), call('a'))).toEqual([])
  expect(found(prompt(), call('a'), call('b'), result('b'))).toEqual([])
  expect(found(prompt(), call('a'), prompt())).toEqual([['call_without_result', 'likely', 1]])
  expect(found(prompt(), call('a'), prompt(), error('overloaded'))).toEqual([['call_without_result', 'likely', 1]])
  // The agent repairs it.
  expect(found(prompt(), call('a'), prompt(), answer())).toEqual([['call_without_result', 'accepted', 1]])
  expect(found(prompt(), call('a'), call('b'), result('b'), answer())).toEqual([['call_without_result', 'accepted', 1]])
})

test('a result without a call, ids, and empty texts', () => {
  expect(found(prompt(), answer(), result('gone'))).toEqual([['result_without_call', 'likely', 1]])
  const long = 'x'.repeat(65)
  expect(found(prompt(), call(long), result(long), call('a|b'), result('a|b'))).toEqual([['call_id', 'likely', 2]])
  expect(found(prompt(), call('a|b'), result('a|b'), answer())).toEqual([['call_id', 'accepted', 1]])
  // Ion's own, where the agent has none.
  expect(found(prompt(), call('@12.1'))).toEqual([])
  expect(found(prompt(), answer('\n'), prompt(' '))).toEqual([['empty_text', 'likely', 2]])
})

test('a finding that the provider has reported is that, with what was counted', () => {
  const said = error('`tool_use` ids were found without `tool_result` blocks immediately after')
  expect(found(prompt(), call('a'), prompt(), said, prompt(), said)).toEqual([['call_without_result', 'reported', 1]])
})

test('what the model does not get any more does not count', () => {
  const summary: Given = { type: 'compaction', summary: 'so far', replaces: [] }
  expect(found(prompt(), call('a'), prompt(), summary, prompt())).toEqual([])
})

test('no recorded session of any agent is called refused', () => {
  const refused: string[] = []
  let sessions = 0
  const look = (agent: Agent, io: Io): void => {
    for (const head of listAll(agent, io).heads) {
      sessions++
      const { findings } = diagnose(() => agent.read(head, readContext(io)) as Iterable<SessionItem>)
      refused.push(
        ...findings.filter(({ likelihood }) => likelihood !== 'accepted').map(({ event }) => `${head.id} ${event}`),
      )
    }
  }
  const samples = sampleIo()
  for (const agent of agents) {
    look(agent, samples)
    if (agent.isArchive) continue
    const folder = fileURLToPath(new URL(`../agents/${agent.id}/fixtures`, import.meta.url))
    for (const name of readdirSync(folder)) look(agent, scratchIo(join(folder, name)))
  }
  expect(refused).toEqual([])
  expect(sessions).toBeGreaterThan(200)
})
