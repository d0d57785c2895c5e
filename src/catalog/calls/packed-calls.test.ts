import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countCalls, eachIdentity, packCalls, type StoredCall, unpackCalls } from './packed-calls.ts'

const count = fc.oneof(fc.nat(200), fc.maxSafeNat())

const call: fc.Arbitrary<StoredCall> = fc.record({
  identity: fc.maxSafeNat(),
  event: count,
  at: count,
  model: fc.nat(1000),
  input: count,
  output: count,
  cache_read: count,
  cache_write: count,
  cache_write_1h: count,
  reasoning: count,
  tier: fc.constantFrom(undefined, 'flex', 'priority'),
  cost: fc.option(count),
  is_sum: fc.boolean(),
})

test('calls that were packed are the same afterwards, wherever their bytes are', () => {
  fc.assert(
    fc.property(fc.array(call), fc.nat(9), (calls, offset) => {
      const packed = packCalls(calls)
      const moved = new Uint8Array(packed.length + offset)
      moved.set(packed, offset)
      const view = moved.subarray(offset)
      expect(unpackCalls(view)).toEqual(calls)
      const identities: number[] = []
      eachIdentity(view, (identity) => identities.push(identity))
      expect(identities).toEqual(calls.map(({ identity }) => identity))
      expect(countCalls(view)).toBe(calls.length)
    }),
  )
})

test('what is not a number of tokens or a time is 0, and the rest stays readable', () => {
  const calls = unpackCalls(
    packCalls([
      {
        ...{
          identity: 1,
          event: 2,
          at: Number.NaN,
          model: 0,
          input: -1,
          output: 0.5,
          cache_read: 1e300,
          cache_write: 7,
        },
        ...{ cache_write_1h: 0, reasoning: 0, tier: 'flex', cost: 0, is_sum: true },
      },
    ]),
  )
  expect(calls).toEqual([
    {
      ...{ identity: 1, event: 2, at: 0, model: 0, input: 0, output: 0, cache_read: 0, cache_write: 7 },
      ...{ cache_write_1h: 0, reasoning: 0, tier: 'flex', cost: 0, is_sum: true },
    },
  ])
})
