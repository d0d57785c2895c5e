import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { scratchFolder, scratchIo } from '../../../test/support/scratch.ts'
import { isEvent } from '../../events/item.ts'
import { readContext } from '../../native/read-context.ts'
import agent from './index.ts'
import { fixtures, made, openSession, readSession, said } from './test/fixture-session.ts'

describe('compressed rollouts', () => {
  const [packed, both, archived] = made(11, 12, 13) as [string, string, string]

  test('are read like plain ones, a plain one has priority, archived ones are hidden', () => {
    const prompts = [packed, both, archived].map((id) => said(readSession('handmade-compressed', id).events)[1])
    expect(prompts).toEqual([
      { type: 'user', content: 'Compressed' },
      { type: 'user', content: 'Both are there' },
      { type: 'user', content: 'Archived and compressed' },
    ])
    expect(listAll(agent, scratchIo(join(fixtures, 'handmade-compressed'))).heads.map((head) => head.hidden)).toEqual([
      undefined,
      undefined,
      true,
    ])
  })

  test('leave no file behind, also when reading stops early', () => {
    const { io, head } = openSession('handmade-compressed', packed)
    const temporary = scratchFolder()
    vi.stubEnv('TMPDIR', temporary)
    onTestFinished(() => void vi.unstubAllEnvs())
    const left: number[] = []
    for (const item of agent.read(head, readContext(io))) {
      left.push(readdirSync(temporary).length)
      if (isEvent(item) && item.event.type === 'user') break
    }
    expect([...left, readdirSync(temporary).length]).toEqual([0, 1, 1, 0])
  })

  test('a damaged one is a problem, not an exception', () => {
    const { io, head } = openSession('handmade-compressed', packed)
    writeFileSync(head.path, readFileSync(head.path).subarray(0, 200))
    expect(readAll(agent, head, io).problems).toEqual([
      { code: 'damaged', problem: expect.stringMatching(/^cannot decompress: /), path: head.path },
    ])
    writeFileSync(head.path, 'not zstd at all')
    expect(listAll(agent, io).problems).toEqual([
      { code: 'damaged', problem: expect.stringMatching(/^cannot read: /), path: head.path },
    ])
  })
})
