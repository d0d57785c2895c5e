import { expect, test } from 'vitest'
import { valueAt } from '../../native/settings.ts'
import { parseToml, withTomlString } from './toml.ts'

const TEXT = `# my settings
model = "gpt-5" # the big one
model_provider = 'stub'
notes = """
model = "not this"
"""
count = 3

[model_providers.stub]
base_url = "http://127.0.0.1/v1"

[projects."/home/dev/a \\"b\\""]
trust_level = "trusted"

[projects.'/home/dev/c']
`

test('finds values by their keys', () => {
  const table = parseToml(TEXT)
  const paths = [
    ['model'],
    ['model_provider'],
    ['notes'],
    ['count'],
    ['model_providers', 'stub', 'base_url'],
    ['projects', '/home/dev/a "b"', 'trust_level'],
    ['projects', '/home/dev/c', 'trust_level'],
    ['model', 'x'],
  ]
  expect(paths.map((path) => valueAt(table, path))).toEqual([
    'gpt-5',
    'stub',
    'model = "not this"\n',
    3,
    'http://127.0.0.1/v1',
    'trusted',
    undefined,
    undefined,
  ])
  expect(valueAt(parseToml('projects."/home/dev/a".trust_level = "trusted"'), ['projects', '/home/dev/a'])).toEqual({
    trust_level: 'trusted',
  })
})

const trust = (text: string, folder: string, level = 'new'): string =>
  withTomlString(text, ['projects', folder], 'trust_level', level)

test('sets a value in place, in its table, or in a new table at the end', () => {
  expect(trust(TEXT, '/home/dev/a "b"')).toBe(TEXT.replace('trust_level = "trusted"', 'trust_level = "new"'))
  expect(trust(TEXT, '/home/dev/c')).toBe(`${TEXT}trust_level = "new"\n`)
  expect(trust(TEXT, '/home/dev/d')).toBe(`${TEXT}\n[projects."/home/dev/d"]\ntrust_level = "new"\n`)
  expect(withTomlString('', ['tui'], 'resume_cwd', 'session')).toBe('[tui]\nresume_cwd = "session"\n')
  expect(trust('a = 1\r\n', '/b')).toBe('a = 1\r\n\r\n[projects."/b"]\r\ntrust_level = "new"\r\n')
})

test('a key in an array of tables is not changed', () => {
  const text = '[projects."/a"]\n\n[[hooks]]\ntrust_level = "evil"\n'
  expect(trust(text, '/a')).toBe('[projects."/a"]\ntrust_level = "new"\n\n[[hooks]]\ntrust_level = "evil"\n')
  const set = '[projects."/a"]\ntrust_level = "old"\n[[hooks]]\ntrust_level = "evil"\n'
  expect(trust(set, '/a')).toBe(set.replace('"old"', '"new"'))
})

test('comments, spacing and everything else are preserved', () => {
  const text = '[projects."/a"] # mine\n  trust_level =   "untrusted" # keep me\n# trust_level = "no"\n'
  expect(trust(text, '/a')).toBe(text.replace('"untrusted"', '"new"'))
  expect(trust(text, '/a', 'untrusted')).toBe(text)
})

test.each([
  ['projects = { "/a" = { trust_level = "old" } }', 'projects = { "/a" = { trust_level = "new" } }'],
  ['projects."/a".trust_level = "old"', 'projects."/a".trust_level = "new"'],
  ['x = """\ntrust_level = "old"\n"""\n[projects."/a"]\ntrust_level = \'old\'', undefined],
])('finds the value in another form: %s', (text, expected) => {
  expect(trust(text, '/a')).toBe(expected ?? text.replace("'old'", '"new"'))
})

test.each(['projects = { "/b" = { trust_level = "trusted" } }', 'projects = "none"'])(
  'a form that cannot be extended is left to the user: %s',
  (text) => {
    expect(() => trust(text, '/home/dev/a', 'trusted')).toThrow(
      expect.objectContaining({
        message: 'projects is written in a form that Ion does not change',
        hint: 'set projects."/home/dev/a".trust_level = "trusted" by hand',
      }),
    )
  },
)

test('a file that is not TOML is not changed', () => {
  expect(() => trust('[projects', '/a')).toThrow(/Invalid TOML/)
})
