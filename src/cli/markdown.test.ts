import fc from 'fast-check'
import { expect, test } from 'vitest'
import { palette } from './colour.ts'
import { markdownLines } from './markdown.ts'
import { width } from './text.ts'

const terminal = { write: () => {}, isTTY: true, columns: 80, rows: 24 }
const bare = palette({ ...terminal, colour: false })
const coloured = palette({ ...terminal, colour: true })

test('what a model writes', () => {
  const text = `# Refunds

The **provider** repeats \`pay()\`, see [the issue](https://x.test/1) and <https://x.test/2>:

- one
  - deeper
- [x] two

1. first
10. tenth, which is long enough for a second line of its own here

\`\`\`ts
const a = 1

await pay(a)
\`\`\`

> quoted
> text

| case | count |
|------|------:|
| one  |     1 |

---
a < b && c`
  expect(markdownLines(text, 50, bare)).toEqual([
    'Refunds',
    '',
    'The provider repeats pay(), see the issue',
    '(https://x.test/1) and https://x.test/2:',
    '',
    '• one',
    '  • deeper',
    '• ☑ two',
    '',
    '1. first',
    '2. tenth, which is long enough for a second line',
    '   of its own here',
    '',
    '    const a = 1',
    '',
    '    await pay(a)',
    '',
    '│ quoted',
    '│ text',
    '',
    'case │ count',
    '─────┼──────',
    'one  │     1',
    '',
    '────────────────────────────────────────',
    '',
    'a < b && c',
  ])
})

test('a style does not reach over the end of a line', () => {
  const lines = markdownLines(`**${'bold words '.repeat(20).trim()}**`, 40, coloured)
  expect(lines.length).toBeGreaterThan(3)
  for (const line of lines) {
    expect(line.match(/\x1b\[1m/g)?.length).toBe(line.match(/\x1b\[22m/g)?.length)
    expect(width(line)).toBeLessThanOrEqual(40)
  }
})

test('any text becomes lines that fit, without control characters', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '# ',
      '- ',
      '1. ',
      '```',
      '`',
      '**',
      '_',
      '> ',
      '|',
      '---',
      '\n',
      '  ',
      '[a](b)',
      '<b>',
      '\x1b[31m',
    ),
    fc.string({ maxLength: 12 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      for (const line of markdownLines(pieces.join(''), 30, bare)) {
        expect(line).not.toMatch(/[\n\x00-\x08\x1b]/)
        expect(width(line)).toBeLessThanOrEqual(60)
      }
    }),
  )
})
