import { expect, test } from 'vitest'
import { limitHeap } from './memory.ts'

test('passes everything on, and closes its source when it is left early', () => {
  let ended = false
  function* source(): Generator<number> {
    try {
      for (let n = 0; n < 1000; n++) yield n
    } finally {
      ended = true
    }
  }
  expect([...limitHeap(source())]).toEqual(Array.from({ length: 1000 }, (_, n) => n))
  ended = false
  for (const n of limitHeap(source())) if (n === 10) break
  expect(ended).toBe(true)
})

test('garbage does not accumulate', () => {
  let kept: unknown
  let most = 0
  const source = Array.from({ length: 4000 }, (_, n) => n)
  for (const n of limitHeap(source)) {
    kept = Array.from({ length: 2000 }, (_, index) => ({ n, index }))
    most = Math.max(most, process.memoryUsage().heapUsed)
  }
  expect(kept).toHaveLength(2000)
  expect(most).toBeLessThan(400e6)
})
