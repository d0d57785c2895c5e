import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fakeContext } from '../../../../test/support/fake-terminal.ts'
import { scratchIo } from '../../../../test/support/scratch.ts'
import { main } from '../../main.ts'

const ID = '33333333-3333-4333-8333-333333333333'

test('a snapshot says how many sessions are only in the archive, which it does not contain', async () => {
  const io = scratchIo(join(import.meta.dirname, '../../../agents/claude/fixtures/2.1.325'))
  const ion = async (...argv: string[]): Promise<{ code: number; out: string; err: string }> => {
    const context = fakeContext(io)
    return { code: await main(argv, context), out: context.out.text, err: context.err.text }
  }
  expect((await ion('capture', ID)).code).toBe(0)
  expect(await ion('snapshot', 'create', join(io.home, 'all.tar.gz'))).toMatchObject({ code: 0, err: '' })

  rmSync(join(io.home, '.claude/projects/-home-dev1-projects-shop', `${ID}.jsonl`))
  const { code, err } = await ion('snapshot', 'create', join(io.home, 'rest.tar.gz'))
  expect({ code, err }).toEqual({
    code: 0,
    err: "ion: left out: 1 session only in Ion's archive; ion restore brings one back into its agent's store\n",
  })
  const other = await ion('snapshot', 'create', join(io.home, 'other.tar.gz'), '--agent', 'codex', '--json')
  expect(JSON.parse(other.out)).toMatchObject({ only_in_archive: 0 })
})
