import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import type { SessionHead, Summary } from '../../events/session.ts'
import { LineCursor } from '../../native/line-cursor.ts'
import { readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'
import { summarise } from '../summarise.ts'
import agent from './index.ts'
import { scanner } from './scan.ts'

function write(io: Io, lines: readonly string[]): SessionHead {
  const folder = join(io.home, '.claude', 'projects', '-w')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, '5e551094-0000-4000-8000-000000000001.jsonl'), `${lines.join('\n')}\n`)
  return listAll(agent, io).heads[0]!
}

function scan(head: SessionHead, io: Io): Summary {
  const state = scanner.start()
  const cursor = new LineCursor(head.path, readContext(io))
  while (cursor.next()) scanner.count(state, cursor)
  cursor.close()
  return scanner.summary(state)
}

/** Texts that contain, or end in, the bytes by which the scanner recognises the parts of a record. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom('}]},', '},{', '"', '\\', '}', '"}]},"uuid":"', '"toolUseResult":', '{"parentUuid":null', '\n'),
      fc.constantFrom('x'.repeat(5000), 'é', '","timestamp":"2026-03-04T09:00:00.000Z'),
      fc.string({ maxLength: 5 }),
    ),
    { maxLength: 5 },
  )
  .map((pieces) => pieces.join(''))

const uuid = fc.uuid()
const time = fc.constantFrom('2026-03-04T09:00:01.000Z', '2026-03-04T09:00:02.000Z', '2026-03-04T09:00:02Z', 'never')
const result = fc.record({ tool_use_id: text, type: fc.constant('tool_result'), content: text })
const failed = result.map((block) => ({ ...block, is_error: true }))
const typed = fc.record({ type: fc.constant('text'), text })
const blocks = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(fc.oneof(result, failed)) },
  { weight: 1, arbitrary: fc.array(fc.oneof(result, failed, typed), { maxLength: 3 }) },
)
/** The program's own copy, which may contain anything that a record contains. */
const copy = fc.oneof(text, fc.record({ stdout: text, uuid, timestamp: time }), fc.record({ content: blocks }))

/** Both orders of keys that occur, and one that does not. */
const record = fc
  .tuple(blocks, uuid, time, fc.option(copy), fc.constantFrom('before', 'after', 'between'))
  .map(([content, id, timestamp, toolUseResult, place]) => {
    const copied = toolUseResult === null ? {} : { toolUseResult }
    return JSON.stringify({
      parentUuid: null,
      cwd: '/w',
      type: 'user',
      message: { role: 'user', content },
      ...(place === 'before' ? copied : {}),
      uuid: id,
      ...(place === 'between' ? copied : {}),
      timestamp,
      ...(place === 'after' ? copied : {}),
    })
  })

/** An agent that was killed in the middle of a line continues after it. */
const line = fc.oneof(
  { weight: 8, arbitrary: record },
  {
    weight: 1,
    arbitrary: fc.tuple(record, fc.nat(), record).map(([a, cut, b]) => a.slice(0, cut % a.length) + b),
  },
)

test('counts tool results as the reader does, whatever is in them', () => {
  const io = scratchIo()
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 5 }), (lines) => {
      const head = write(io, lines)
      expect(scan(head, io)).toEqual(summarise(readAll(agent, head, io).items))
    }),
    { numRuns: 300 },
  )
})
