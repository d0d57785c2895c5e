import fc from 'fast-check'
import { expect, test } from 'vitest'
import { moveFolder, rewriteFields, rewritePaths } from './path-rewrite.ts'

const move = moveFolder('/home/ann', '/users/bob')

test.each([
  ['/home/ann', '/users/bob'],
  ['/home/ann/shop', '/users/bob/shop'],
  ['/home/anna/shop', '/home/anna/shop'],
  ['/opt/shop', '/opt/shop'],
])('%s is now %s', (from, to) => {
  expect(move(from)).toBe(to)
})

test.each([
  ['a field', '{"cwd":"/home/ann/shop","text":"/home/ann"}', '{"cwd":"/users/bob/shop","text":"/home/ann"}'],
  ['spaces stay', '{ "cwd" :  "/home/ann" }', '{ "cwd" :  "/users/bob" }'],
  ['a list', '{"roots":["/home/ann/a","/x"]}', '{"roots":["/users/bob/a","/x"]}'],
  ['deep inside', '{"a":[{"cwd":"/home/ann/é\\n"}]}', '{"a":[{"cwd":"/users/bob/é\\n"}]}'],
  ['a field in a text is a text', '{"text":"{\\"cwd\\":\\"/home/ann\\"}"}', '{"text":"{\\"cwd\\":\\"/home/ann\\"}"}'],
  ['a file URL', '{"cwd":"file:///home/ann/a%20b"}', '{"cwd":"file:///users/bob/a%20b"}'],
  ['a URL of elsewhere', '{"cwd":"https://home/ann"}', '{"cwd":"https://home/ann"}'],
  ['another type', '{"cwd":7,"roots":[]}', '{"cwd":7,"roots":[]}'],
])('%s', (_name, before, after) => {
  expect(rewriteFields(Buffer.from(before), ['cwd', 'roots'], move).toString('utf8')).toBe(after)
})

test('content without the home is unchanged, however it is split into pieces', () => {
  fc.assert(
    fc.property(fc.array(fc.json()), fc.integer({ min: 1, max: 50 }), (values, size) => {
      const bytes = Buffer.from(values.map((value) => `${value}\n`).join(''))
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
        bytes.subarray(n * size, (n + 1) * size),
      )
      const out = Buffer.concat([...rewritePaths(pieces, { fields: ['cwd'] }, true, move)])
      expect(out).toEqual(bytes)
    }),
  )
})

test('a file that is not JSON is rewritten by its agent as a whole; lines are not', () => {
  const text = (path: string, text: string): string => `${path}: ${move(text)}`
  const pieces = [Buffer.from('/home/'), Buffer.from('ann/shop')]
  const moved = (isLines: boolean): string =>
    Buffer.concat([...rewritePaths(pieces, { text }, isLines, move, 'root')]).toString('utf8')
  expect([moved(false), moved(true)]).toEqual(['root: /users/bob/shop', '/home/ann/shop'])
})

test('bytes that are not UTF-8 are unchanged, also beside a path that is rewritten', () => {
  const bytes = (before: string, after: string): Buffer =>
    Buffer.concat([Buffer.from(before), Buffer.from([0xff, 0xfe]), Buffer.from(after)])
  const input = bytes('{"cwd":"/home/ann/é","text":"', '"}\n{"cwd":"/home/ann","text":"\\u00e9 é"}\n')
  const output = bytes('{"cwd":"/users/bob/é","text":"', '"}\n{"cwd":"/users/bob","text":"\\u00e9 é"}\n')
  for (const isLines of [true, false]) {
    expect(Buffer.concat([...rewritePaths([input], { fields: ['cwd'] }, isLines, move)])).toEqual(output)
  }
})

test('a path that is not UTF-8 is unchanged', () => {
  const input = Buffer.concat([Buffer.from('{"cwd":"/home/ann/'), Buffer.from([0xff]), Buffer.from('"}\n')])
  expect(Buffer.concat([...rewritePaths([input], { fields: ['cwd'] }, true, move)])).toEqual(input)
})
