import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AnswerPreview } from './answer-preview.ts'

const COLUMNS = 80

function seen(...looks: readonly { readonly rows: readonly string[]; readonly begins?: false }[]): AnswerPreview {
  const preview = new AnswerPreview()
  for (const { rows, begins = true } of looks) preview.show({ rows, begins })
  return preview
}

test('a text grows, is rendered again as it grows, and is followed by the next one', () => {
  const preview = seen(
    { rows: ['I will look at **the'] },
    { rows: ['I will look at the cart.', '', '- it is'] },
    { rows: ['I will look at the cart.', '', '• it is empty'] },
    { rows: ['Now I know why.'] },
  )
  expect(preview.text([], COLUMNS)).toBe('I will look at the cart.\n\n• it is empty\n\nNow I know why.')
})

test('what the transcript has is left out, however it is written there', () => {
  const preview = seen({ rows: ['The cart is empty.'] }, { rows: ['Now'] })
  expect(preview.text(['The **cart** is `empty`.\n'], COLUMNS)).toBe('Now')
  expect(preview.text(['The **cart** is `empty`.\n', 'Now I know why.'], COLUMNS)).toBeUndefined()
})

test('a stored text that is drawn again from its middle on is not new', () => {
  const preview = seen({ rows: ['I looked at it.'] }, { rows: ['The second paragraph is about the cart.'] })
  expect(preview.text(['I looked at it.\n\nThe second paragraph is about the **cart**.'], COLUMNS)).toBeUndefined()
})

test('a screen that shows the same again after the turn shows nothing new', () => {
  const preview = seen({ rows: ['The cart is empty.'] })
  preview.clear()
  preview.show({ rows: ['The cart is empty.'], begins: true })
  expect(preview.text([], COLUMNS)).toBeUndefined()
})

test('the rest of something that was never seen from its beginning is not an answer', () => {
  expect(seen({ rows: ['output of a tool'], begins: false }).text([], COLUMNS)).toBeUndefined()
  const other = seen({ rows: ['I will look.'] }, { rows: ['output of a tool', 'and more'], begins: false })
  expect(other.text([], COLUMNS)).toBe('I will look.')
})

test('rows that were wrapped at the edge of the terminal are joined; others are not', () => {
  const long = 'This sentence is as long as a row of the terminal may be before it wraps'
  const preview = seen({ rows: [long, 'and ends here.', '- a point', `- ${long}`, '  of two rows', '| a | table |'] })
  expect(preview.text([], COLUMNS)).toBe(`${long} and ends here.\n- a point\n- ${long}\n  of two rows\n| a | table |`)
})

test('a text that is taller than the screen is complete, however fast it scrolls', () => {
  const lines = fc.array(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 30 }), {
    minLength: 1,
    maxLength: 60,
  })
  fc.assert(
    fc.property(lines, fc.integer({ min: 6, max: 20 }), fc.integer({ min: 1, max: 4 }), (texts, height, step) => {
      // Numbered: rows that repeat are not distinguishable.
      const rows = texts.map((text, at) => `${at} ${text}`.trimEnd())
      const preview = new AnswerPreview()
      for (let shown = 1; shown < rows.length + step; shown += step) {
        const until = Math.min(shown, rows.length)
        const from = Math.max(0, until - height)
        preview.show({ rows: rows.slice(from, until), begins: from === 0 })
      }
      expect(preview.text([], 200)).toBe(rows.join('\n'))
    }),
  )
})
