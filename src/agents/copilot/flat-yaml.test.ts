import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { parseFlatYaml } from './flat-yaml.ts'

const names = [
  'plain',
  'two words # no comment follows a word#like this',
  'FAIL #err 400',
  "it's 'quoted'",
  'ünïcode 日本 😀 prompt: "quotes"',
  'a: b: c',
  'first\nsecond\n  indented\n\nafter an empty line',
  '  leading spaces\nthen none',
  'ends with a newline\n',
  'ends with three\n\n\n',
  '\nbegins with one',
  'tab\tand bell \u0007 and escape \u001b[31m and \\ backslash',
  '- looks like a list',
  '{looks: like a map}',
  '| looks like a block',
  'true',
  '123',
  'null',
  '~',
  '',
  'a long line that a writer folds at eighty columns, '.repeat(6),
  `${'words and "quotes" and \\ in one long line '.repeat(8)}\u0007`,
  `${'one line of several '.repeat(8)}\n${'another of them '.repeat(8)}\n\n  ${'indented '.repeat(12)}\nend`,
  '😀'.repeat(60),
]

describe('a flat YAML file', () => {
  test.each(names)('reads the name %j in every notation', (name) => {
    const record = { id: 'x', name, user_named: true, cwd: '/home/dev1' }
    const expected = new Map(Object.entries({ ...record, user_named: 'true' }))
    for (const defaultStringType of [
      'PLAIN',
      'QUOTE_SINGLE',
      'QUOTE_DOUBLE',
      'BLOCK_LITERAL',
      'BLOCK_FOLDED',
    ] as const) {
      for (const lineWidth of [0, 80]) {
        const text = stringify(record, { defaultStringType, defaultKeyType: 'PLAIN', lineWidth })
        expect(parseFlatYaml(text), text).toEqual(expected)
      }
    }
  })

  test('reads what Copilot 1.0.102 writes', () => {
    const text = [
      'id: 77aa53e1-0228-4018-b78c-18739b2da414',
      'cwd: /home/dev1/projects/unicodé-日本 x',
      'name: |-',
      '  List the files then read cart.',
      '  #tool bash {"command":"ls src"}',
      'user_named: false',
      "quoted: 'FAIL #err 400'",
      'created_at: 2026-11-15T18:43:13.712Z',
      '',
    ].join('\n')
    expect(parseFlatYaml(text)).toEqual(
      new Map([
        ['id', '77aa53e1-0228-4018-b78c-18739b2da414'],
        ['cwd', '/home/dev1/projects/unicodé-日本 x'],
        ['name', 'List the files then read cart.\n#tool bash {"command":"ls src"}'],
        ['user_named', 'false'],
        ['quoted', 'FAIL #err 400'],
        ['created_at', '2026-11-15T18:43:13.712Z'],
      ]),
    )
  })

  test('aliases are not resolved, and deep nesting affects only its entry', () => {
    const bomb = `a: &a [x, x]\nb: &b [*a, *a, *a]\nc: [*b, *b, *b]\nname: *c\ndeep: ${'['.repeat(2000)}\ncwd: /home/dev1\n`
    expect(parseFlatYaml(bomb)).toEqual(new Map([['cwd', '/home/dev1']]))
  })

  test('skips nested, truncated and invalid values, and keeps the rest', () => {
    const text =
      '---\n# note\nlist:\n  - a\nmap: {a: 1}\n: bad\n"cut: "x\nname: "never ends\ncwd: /home/dev1 # a comment\r\n'
    expect(parseFlatYaml(text)).toEqual(new Map([['cwd', '/home/dev1']]))
    expect(parseFlatYaml('')).toEqual(new Map())
    expect(parseFlatYaml('\u0000\u0001garbage')).toEqual(new Map())
  })
})
