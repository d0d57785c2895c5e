import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { agents } from '../../agents/_registry.ts'
import archiveAgent from '../../agents/ion/index.ts'
import type { IonEvent } from '../../events/schema.ts'
import type { SessionHead } from '../../events/session.ts'
import { readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'
import { projectOf } from '../../platform/project.ts'
import { Archive } from '../archive.ts'
import { archiveFile } from '../archive-paths.ts'
import { GrowingLog } from './ingest.ts'

/** Without the header, which describes the session as it was first seen. */
function archived(id: string, io: Io): IonEvent[] {
  const head = listAll(archiveAgent, io).heads.find((one) => one.id === id)!
  return readAll(archiveAgent, head, io, readContext(io)).events.slice(1)
}

describe.each(agents.filter((agent) => agent.scanner).map((agent) => [agent.id, agent] as const))('%s', (id, agent) => {
  const versions = fileURLToPath(new URL(`../../agents/${id}/fixtures/`, import.meta.url))
  const [version] = readdirSync(versions)

  test('a session that grows by any pieces, followed by two, is archived like a finished one', () => {
    const { heads } = listAll(agent, scratchIo(join(versions, version!)))
    // Those that are one file.
    for (const whole of heads.filter((head) => agent.scanner!.applies?.(head) !== false)) {
      const bytes = readFileSync(whole.path)
      fc.assert(
        fc.property(fc.uniqueArray(fc.nat(bytes.length), { maxLength: 8 }), (cuts) => {
          const [io, plain] = [scratchIo(), scratchIo()]
          const head = { ...whole, path: join(io.home, 'session.jsonl') }
          const log = archiveFile(head.id, head.cwd && projectOf(head.cwd), io)
          const logs = [1, 2].map(() => new GrowingLog(agent, log, io))
          mkdirSync(dirname(head.path), { recursive: true })
          writeFileSync(head.path, '')
          let from = 0
          let added = 0
          for (const [turn, to] of [...cuts.sort((a, b) => a - b), bytes.length].entries()) {
            appendFileSync(head.path, bytes.subarray(from, to))
            from = to
            for (const one of turn % 2 ? logs : logs.toReversed()) added += one.append(head).added
          }
          for (const one of logs) one.close()
          added += capture(head, io).added
          const expected = capture(head, plain)
          expect(added).toBe(expected.added)
          expect(archived(head.id, io)).toEqual(archived(head.id, plain))
        }),
        { numRuns: 2 },
      )
    }
  })

  function capture(head: SessionHead, io: Io): { added: number } {
    const archive = new Archive(io)
    try {
      return archive.capture(agent, head, { copy: false })
    } finally {
      archive.close()
    }
  }
})
