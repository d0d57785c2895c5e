import { describe, expect, test } from 'vitest'
import { commandKinds } from '../../../test/support/command-kinds.ts'
import { type SecretKind, secretKinds } from '../../../test/support/secret-kinds.ts'
import { placeNames, remaining } from '../../../test/support/secret-places.ts'
import { serviceKinds } from '../../../test/support/service-kinds.ts'

/** The share of kinds that are masked, in the place where it is lowest, and what was missed. */
function recall(kinds: readonly SecretKind[], seeds: readonly number[]): { lowest: number; missed: string[] } {
  const missed = kinds.flatMap((kind) =>
    seeds.flatMap((seed) => remaining(kind, seed).map((place) => `${place}, ${seed}: ${kind.name}`)),
  )
  const counts = placeNames.map((place) => missed.filter((one) => one.startsWith(`${place}, `)).length)
  return { lowest: 1 - Math.max(...counts) / (kinds.length * seeds.length), missed }
}

describe('every kind of secret is masked in every place', () => {
  test('the list is long enough', () => {
    expect(secretKinds.length).toBeGreaterThanOrEqual(700)
    expect(new Set(secretKinds.map(({ name }) => name)).size).toBe(secretKinds.length)
    expect(commandKinds.length + serviceKinds.length).toBeGreaterThanOrEqual(400)
  })

  test('kinds that the rules know', () => {
    expect(recall(secretKinds, [1]).missed).toEqual([])
  })

  test.each([
    ['commands, headers, settings and code', commandKinds],
    ['services whose keys have no form', serviceKinds],
  ])('%s', (_name, kinds) => {
    const { lowest, missed } = recall(kinds, [1])
    expect(lowest, missed.join('\n')).toBeGreaterThanOrEqual(0.98)
  })

  test('many seeds', { tags: ['deep'] }, () => {
    const seeds = Array.from({ length: 10 }, (_, index) => index + 100)
    for (const kinds of [secretKinds, commandKinds, serviceKinds]) {
      const { lowest, missed } = recall(kinds, seeds)
      // Random values may look like words or numbers.
      expect(lowest, missed.slice(0, 50).join('\n')).toBeGreaterThan(0.98)
    }
  })
})
