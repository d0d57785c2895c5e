import { appendFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { claudeLines, writeClaude } from './claude-session.ts'
import { machine, runIon } from './run-ion.ts'

const id = '3f2a0000-0000-4000-8000-000000000001'

test('ion show prints the number of each turn, and --turn takes it', async () => {
  const where = machine()
  const path = writeClaude(where, { id, prompt: 'prompt 1' })
  for (const number of [2, 3]) {
    const lines = claudeLines({ id, prompt: `prompt ${number}` })
    const text = lines.join('\n').replaceAll(/"u(\d)"/g, (_all, n: string) => `"u${Number(n) + number * 10}"`)
    appendFileSync(path, `${text.replace('"parentUuid":null', `"parentUuid":"u${number === 2 ? 1 : 21}"`)}\n`)
  }
  const turns = async (...options: string[]): Promise<string[]> => {
    const { out } = await runIon(where, ['show', id, ...options])
    return [...out.matchAll(/^You.* · turn (\d+)\n {2}prompt (\d)$/gm)].map(([, turn, prompt]) => `${turn}: ${prompt}`)
  }
  expect(await turns()).toEqual(['1: 1', '2: 2', '3: 3'])
  expect(await turns('--turn', '2..3')).toEqual(['2: 2', '3: 3'])
  expect(await turns('--turn', '-1')).toEqual(['3: 3'])
  expect(await turns('--at', 'u20')).toEqual(['2: 2'])
  // Only the end is read, so the numbers are not known.
  const last = await runIon(where, ['show', id, '--last', '1'])
  expect([last.code, last.out.includes('turn')]).toEqual([0, false])
})
