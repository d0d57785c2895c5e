import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { callFields } from '../../../test/support/model-calls.ts'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { type CallEvent, hasUsage } from '../../events/model-call.ts'
import type { IonEvent } from '../../events/schema.ts'
import type { SessionHead } from '../../events/session.ts'
import { LineCursor } from '../../native/line-cursor.ts'
import { readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'
import { passageOf } from '../passage.ts'
import { summarise } from '../summarise.ts'
import agent from './index.ts'
import { scanner } from './scan.ts'

const ID = '5d0e0000-0000-4000-8000-0000000000aa'
const META = { id: ID, timestamp: '2026-03-04T09:00:00.000Z', cwd: '/w', originator: 'x', cli_version: '1' }

function write(io: Io, lines: readonly string[]): SessionHead {
  const folder = join(io.home, '.codex', 'sessions')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `rollout-2026-03-04T10-00-00-${ID}.jsonl`), `${lines.join('\n')}\n`)
  return listAll(agent, io).heads[0]!
}

function scan(head: SessionHead, io: Io, pause = -1): unknown {
  let state = scanner.start()
  const passages: unknown[] = []
  const calls: CallEvent[] = []
  const cursor = new LineCursor(head.path, readContext(io))
  while (cursor.next()) {
    scanner.count(state, cursor, (event) => calls.push(event))
    passages.push(...scanner.passages(cursor))
    if (cursor.line === pause) state = JSON.parse(JSON.stringify(state))
  }
  cursor.close()
  return { summary: scanner.summary(state), passages, calls }
}

function readWhole(head: SessionHead, io: Io): unknown {
  const { items, events } = readAll(agent, head, io)
  return {
    summary: summarise(items),
    passages: events.slice(1).flatMap((event) => passageOf(withoutSuffix(event)) ?? []),
    calls: events.filter(hasUsage).map(callFields),
  }
}

/** As far as one line says: an id that is repeated gets a suffix. */
function withoutSuffix(event: IonEvent): IonEvent {
  return { ...event, id: event.id.replace(/~\d+$/, '') }
}

const timed = (type: string, payload: unknown): string =>
  JSON.stringify({ timestamp: '2026-03-04T09:00:01.000Z', type, payload })

const word = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom('<turn_aborted>', 'same', 'x'.repeat(1500)),
)
const strange = fc.oneof(fc.jsonValue({ maxDepth: 2 }), word)
const sometimes = <T>(good: fc.Arbitrary<T>): fc.Arbitrary<unknown> => fc.oneof({ weight: 5, arbitrary: good }, strange)
const parts = fc.array(sometimes(fc.record({ type: fc.constant('input_text'), text: word })), { maxLength: 3 })
const wrapped = word.map((output) => JSON.stringify({ output, metadata: { exit_code: 1, duration_seconds: 0.5 } }))
const usage = fc.record({
  input_tokens: sometimes(fc.nat(9)),
  cached_input_tokens: fc.nat(9),
  output_tokens: fc.nat(9),
})

const turnId = sometimes(
  fc.constantFrom('019cb700-0000-7000-8000-000000000001', '019cb700-0000-7000-8000-000000000002'),
)
const otherId = sometimes(fc.constantFrom(ID, '5d0e0000-0000-4000-8000-0000000000ab'))

const payloads: Record<string, readonly fc.Arbitrary<unknown>[]> = {
  response_item: [
    fc.record({
      type: fc.constant('message'),
      role: sometimes(fc.constantFrom('user', 'assistant')),
      content: sometimes(parts),
    }),
    fc.record({
      type: fc.constant('function_call_output'),
      call_id: sometimes(word),
      output: sometimes(fc.oneof(word, wrapped)),
    }),
    fc.record({
      type: fc.constant('function_call'),
      name: sometimes(word),
      arguments: sometimes(fc.json()),
      call_id: word,
    }),
    fc.record({
      type: fc.constant('reasoning'),
      summary: sometimes(parts),
      content: fc.constant(null),
      encrypted_content: sometimes(word),
    }),
    fc.record({
      type: fc.constant('reasoning'),
      summary: fc.array(fc.record({ type: fc.constant('summary_text'), text: word }), { maxLength: 2 }),
      encrypted_content: word,
    }),
  ],
  event_msg: [
    fc.record({
      type: fc.constantFrom('user_message', 'agent_message', 'agent_reasoning', 'error', 'new'),
      message: sometimes(word),
    }),
    fc.record({ type: fc.constantFrom('task_started', 'task_complete', 'turn_aborted'), error: strange }),
    fc.record({ type: fc.constant('task_started'), turn_id: turnId }),
    fc.record({
      type: fc.constant('thread_settings_applied'),
      thread_settings: fc.record({ service_tier: fc.constantFrom('fast', 'flex', 'default', null) }),
    }),
    fc.record({
      type: fc.constant('token_count'),
      info: sometimes(fc.record({ total_token_usage: usage, last_token_usage: usage })),
    }),
    fc.record({
      type: fc.constant('item_completed'),
      item: sometimes(
        fc.record({
          type: fc.constantFrom('UserMessage', 'AgentMessage', 'Plan', 'FileChange', 'New'),
          content: parts,
        }),
      ),
    }),
  ],
  session_meta: [fc.record({ id: otherId, forked_from_id: otherId })],
  turn_context: [fc.record({ cwd: strange, model: sometimes(word) }), fc.record({ turn_id: turnId })],
  token_usage_record: [
    fc.record({ usage: sometimes(usage) }),
    fc.record({ turn_id: turnId, response_id: sometimes(word), usage }),
  ],
  compacted: [fc.record({ message: sometimes(word), replacement_history: strange })],
  world_state: [strange],
  from_the_future: [strange],
}

const anyLine = fc.oneof(
  ...Object.entries(payloads).flatMap(([type, kinds]) =>
    kinds.map((kind) => sometimes(kind).map((payload) => timed(type, payload))),
  ),
  fc.constantFrom('', '   ', '{"timestamp":"2026-03-04T09:00:02.000Z","type":"respon', 'null', '[]', '{}'),
)

test('agrees with the reader for any file, also when it stops and continues', () => {
  const io = scratchIo()
  fc.assert(
    fc.property(fc.array(anyLine, { maxLength: 12 }), fc.nat(12), (lines, pause) => {
      const head = write(io, [timed('session_meta', META), ...lines])
      expect(scan(head, io, pause)).toEqual(readWhole(head, io))
    }),
    { numRuns: 200 },
  )
})

test('leaves forks, compressed and bare files to the reader', () => {
  const head = write(scratchIo(), [timed('session_meta', META)])
  const applies = [head, { ...head, format: 'rollout-fork' }, { ...head, format: 'rollout-bare' }].map(scanner.applies!)
  expect([...applies, scanner.applies!({ ...head, path: `${head.path}.zst` })]).toEqual([true, false, false, false])
})
