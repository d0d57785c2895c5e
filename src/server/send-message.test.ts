import { expect, test } from 'vitest'
import { isGlued } from './send-message.ts'

test('text that was in the input box before a message is noticed, also before a folded paste', () => {
  expect(isGlued('a complete one', 'a complete one')).toBe(false)
  expect(isGlued('', 'a complete one')).toBe(false)
  expect(isGlued('first line\nsecond line', 'first line\nsecond line')).toBe(false)
  expect(
    isGlued('the end of a long message that scrolls', `${'x'.repeat(900)} the end of a long message that scrolls`),
  ).toBe(false)
  expect(isGlued('[Pasted text #1 +40 lines]', 'x\n'.repeat(41))).toBe(false)
  expect(isGlued('no no no', 'no no no')).toBe(false)
  expect(isGlued('half a thoughta complete one', 'a complete one')).toBe(true)
  expect(isGlued('a complete onea complete one', 'a complete one')).toBe(true)
  expect(isGlued('half a thought[Pasted text #1 +40 lines]', 'x\n'.repeat(41))).toBe(true)
})
