import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ChangeLog } from './change-log.ts'

test('a reader gets each changed key once, with its current value, however far behind it was', () => {
  const step = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), remove: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), fc.nat(400), (steps, away) => {
      const log = new ChangeLog<number>()
      const now = new Map<string, number>()
      const touched = new Map<string, number>()
      let left = 0
      steps.forEach(({ key, remove }, at) => {
        if (at === away) {
          left = log.seq
          touched.clear()
        }
        if (remove) {
          log.delete(key)
          now.delete(key)
          touched.delete(key)
        } else {
          log.put(key, at)
          now.set(key, at)
          touched.delete(key)
          touched.set(key, at)
        }
      })
      const read: [string, number][] = []
      let cursor = steps.length > away ? left : log.seq
      for (let change = log.next(cursor); change; change = log.next(cursor)) {
        read.push([change.key, change.value])
        cursor = change.seq
      }
      expect(read).toEqual(steps.length > away ? [...touched] : [])
      for (const [key, value] of now) expect(log.get(key)).toBe(value)
    }),
  )
})
