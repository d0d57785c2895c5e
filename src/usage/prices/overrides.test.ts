import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scratchIo } from '../../../test/support/scratch.ts'
import { overridesPath, readOverrides, setPrice, unsetPrice } from './overrides.ts'
import { bandsText, type PriceRow } from './price-row.ts'

const rates = { input: 5_000_000, output: 30_000_000 }

function shown(rows: readonly PriceRow[]): string[] {
  return rows.map(({ model, from, bands }) => `${model} ${from ?? '-'} ${bandsText(bands)}`).sort()
}

test('a price is set, changed, dated and removed; only the user can read the file', () => {
  const io = scratchIo()
  expect(readOverrides(io)).toEqual({ rows: [], badLines: 0 })
  expect(setPrice(io, 'GPT-9', rates, null)).toBe(true)
  expect(setPrice(io, 'gpt-9', rates, null)).toBe(false)
  setPrice(io, 'gpt-9', { ...rates, cache_read: 1 }, null)
  setPrice(io, 'gpt-9', rates, '2026-11-01T00:00:00.000Z')
  expect(shown(readOverrides(io).rows)).toEqual(['gpt-9 - 5/30/0.000001', 'gpt-9 2026-11-01T00:00:00.000Z 5/30'])
  expect(statSync(overridesPath(io)).mode & 0o777).toBe(0o600)
  expect(unsetPrice(io, 'gpt-9')).toBe(true)
  expect(unsetPrice(io, 'gpt-9')).toBe(false)
  expect(readOverrides(io).rows).toEqual([])
  // Nothing was ever removed from the file.
  expect(readFileSync(overridesPath(io), 'utf8').trim().split('\n')).toHaveLength(4)
})

test('a name with spaces is refused', () => {
  expect(() => setPrice(scratchIo(), 'two words', rates, null)).toThrow('is not the name of a model')
})

test('lines that are not operations are counted, and one that is being written is not', () => {
  const io = scratchIo()
  setPrice(io, 'a', rates, null)
  const good = readFileSync(overridesPath(io), 'utf8')
  const bad = ['{}', 'x', good.trim().replace('5000000', '-5'), good.trim().replace('"set"', '"grow"')]
  appendFileSync(overridesPath(io), `${bad.join('\n')}\n{"at":"2026-`)
  expect(readOverrides(io)).toMatchObject({ badLines: 4, rows: [{ model: 'a' }] })
  setPrice(io, 'b', rates, null)
  expect(readOverrides(io)).toMatchObject({ badLines: 5, rows: [{ model: 'a' }, { model: 'b' }] })
})

const model = fc.constantFrom('a', 'b', 'c/d')
const from = fc.constantFrom(null, '2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z')
const set = fc.record({ model, from, input: fc.nat(5) })

test('set then unset restores, whatever was set before', () => {
  fc.assert(
    fc.property(fc.array(set, { maxLength: 6 }), fc.array(set, { minLength: 1, maxLength: 3 }), (before, more) => {
      const io = scratchIo()
      for (const one of before) setPrice(io, one.model, { ...rates, input: one.input }, one.from)
      const rows = shown(readOverrides(io).rows)
      for (const one of more) setPrice(io, 'new', { ...rates, input: one.input }, one.from)
      unsetPrice(io, 'new')
      expect(shown(readOverrides(io).rows)).toEqual(rows)
    }),
    { numRuns: 30 },
  )
})

test('the order of the lines does not matter', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(set, fc.boolean()), { minLength: 1, maxLength: 8 }),
      fc.infiniteStream(fc.nat()),
      (steps, chance) => {
        const io = scratchIo()
        for (const [one, removes] of steps) {
          if (removes) unsetPrice(io, one.model)
          else setPrice(io, one.model, { ...rates, input: one.input }, one.from)
        }
        const rows = shown(readOverrides(io).rows)
        if (steps.every(([, removes]) => removes)) return
        const lines = readFileSync(overridesPath(io), 'utf8').trim().split('\n')
        const mixed = lines.map((line) => ({ line, key: chance.next().value })).sort((a, b) => a.key - b.key)
        writeFileSync(overridesPath(io), `${mixed.map(({ line }) => line).join('\n')}\n`)
        expect(shown(readOverrides(io).rows)).toEqual(rows)
      },
    ),
    { numRuns: 30 },
  )
})
