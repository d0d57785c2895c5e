import { expect, test } from 'vitest'
import { onlyInArchive } from './totals.ts'

test.each([
  [1, 1, "is only in Ion's archive (ion restore)"],
  [2, 0, "are only in Ion's archive (ion show, ion export)"],
  [5, 3, "are only in Ion's archive: 3 can be restored (ion restore), 2 only read (ion show, ion export)"],
])('%i sessions only in the archive, %i of them with an exact copy', (count, restorable, text) => {
  expect(onlyInArchive(count, restorable)).toBe(text)
})
