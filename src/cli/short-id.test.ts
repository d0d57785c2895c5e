import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shortIds } from './short-id.ts'

test('eight characters, or more if not unique', () => {
  expect([...shortIds(['3f2a0000-aa', '3f2a0000-bb', '11112222-cc'])]).toEqual([
    ['11112222-cc', '11112222'],
    ['3f2a0000-aa', '3f2a0000-a'],
    ['3f2a0000-bb', '3f2a0000-b'],
  ])
})

test('each prefix is unique', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.uuid()), (ids) => {
      for (const [id, short] of shortIds(ids)) expect(ids.filter((other) => other.startsWith(short))).toEqual([id])
    }),
  )
})
