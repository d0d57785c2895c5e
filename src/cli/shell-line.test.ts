import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shellLine } from './shell-line.ts'

test('quotes only if needed', () => {
  expect(shellLine(['cd', '/home/dev/my shop', '--id=3f2a', "it's", ''])).toBe(
    "cd '/home/dev/my shop' --id=3f2a 'it'\\''s' ''",
  )
})

test('a shell parses the same arguments, and the line has no control characters', () => {
  const word = fc.string({
    unit: fc.oneof(fc.constantFrom(...'a ~$\'"\\\n\t\x1b\x9b!`*;é😀'), fc.string({ maxLength: 1 })),
  })
  fc.assert(
    fc.property(
      fc.array(
        word.map((text) => text.replaceAll('\0', '')),
        { minLength: 1 },
      ),
      (words) => {
        const line = shellLine(words)
        expect(line).not.toMatch(/[\x00-\x1f\x7f-\x9f]/)
        const said = execFileSync('bash', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' })
        expect(said.split('\0').slice(0, -1)).toEqual(words)
      },
    ),
    { numRuns: 60 },
  )
})
