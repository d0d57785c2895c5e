import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { listAll } from '../../test/support/read-all.ts'
import { copyTree, scratchIo } from '../../test/support/scratch.ts'
import { agents } from '../agents/_registry.ts'
import { carryOut, headOf, planHandover } from './hand-over.ts'
import { undoHandover } from './undo.ts'

const samples = fileURLToPath(new URL('../../samples/', import.meta.url))
const sources = agents.filter(({ id }) => readdirSync(samples).includes(id))
const targets = agents.filter(({ writer }) => writer && !writer.isExperimental)

describe.each(targets.map((target) => [target.id, target] as const))('into %s', (_, target) => {
  test.each(sources.map((source) => [source.id, source] as const))('every sample session of %s', (_, source) => {
    const io = scratchIo(join(samples, source.id))
    if (source !== target) copyTree(join(samples, target.id), io.home)
    const cwd = join(io.home, 'shop')
    mkdirSync(cwd, { recursive: true })
    const before = listAll(target, io).heads.map(({ native_id }) => native_id)
    for (const head of listAll(source, io).heads) {
      if (head.parent_session) continue
      const plan = planHandover(
        {
          source: { head, reader: source },
          sourceAgent: source,
          target,
          version: target.writer!.proven.newest,
          cwd,
          options: {
            as: 'native',
            tools: 'keep',
            thinking: 'drop',
            budget: undefined,
            extent: {},
            again: false,
            incomplete: false,
            experimental: false,
          },
        },
        io,
      )
      // It reads the session back and compares.
      const over = carryOut(plan, io)
      expect(over.head).toMatchObject({ cwd, resumable: true, agent: target.id })
      undoHandover(over.id, io)
      expect(headOf(target, over.nativeId, [], io)).toBeUndefined()
    }
    expect(listAll(target, io).heads.map(({ native_id }) => native_id)).toEqual(before)
  })
})
