import fc from 'fast-check'
import { expect, test } from 'vitest'
import { valueAt, withValue } from './settings.ts'
import { parseToml, withoutTomlValue, withTomlValue } from './toml.ts'
import { tomlLine, tomlParts } from './toml-entries.ts'

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
  withTomlValue(text, ['projects', folder, 'trust_level'], level)

test('sets a value in place, in its table, or in a new table at the end', () => {
  expect(trust(TEXT, '/home/dev/a "b"')).toBe(TEXT.replace('trust_level = "trusted"', 'trust_level = "new"'))
  expect(trust(TEXT, '/home/dev/c')).toBe(`${TEXT}trust_level = "new"\n`)
  expect(trust(TEXT, '/home/dev/d')).toBe(`${TEXT}\n[projects."/home/dev/d"]\ntrust_level = "new"\n`)
  expect(withTomlValue('', ['tui', 'resume_cwd'], 'session')).toBe('[tui]\nresume_cwd = "session"\n')
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

test('a value outside tables is set before the first table, above its comment', () => {
  const set = (text: string): string => withTomlValue(text, ['all'], true)
  expect(set('')).toBe('all = true\n')
  expect(set('# mine')).toBe('# mine\nall = true\n')
  expect(set('a = 1 # one\n\n[x]\ny = 2\n')).toBe('a = 1 # one\nall = true\n\n[x]\ny = 2\n')
  expect(set('# file\n\n# about x\n[x]\n')).toBe('# file\n\nall = true\n\n# about x\n[x]\n')
  expect(set('[x]\r\ny = 1\r\n')).toBe('all = true\r\n\r\n[x]\r\ny = 1\r\n')
  expect(set('all = [ # why\n  "a",\n]\nb = 1')).toBe('all = true\nb = 1')
})

test('a value is added to its table in the form and with the indent of the others', () => {
  const set = (text: string): string => withTomlValue(text, ['projects', 'web'], '~/web')
  expect(set('[projects]\n  shop = "~/shop" # s\n\n[z]\n')).toBe(
    '[projects]\n  shop = "~/shop" # s\n  web = "~/web"\n\n[z]\n',
  )
  expect(set('projects.shop = "~/shop"\n[z]\n')).toBe('projects.shop = "~/shop"\nprojects.web = "~/web"\n[z]\n')
  expect(withTomlValue('[agents]\nx.arguments = []\n', ['agents', 'x', 'arguments'], ['--a b', '"'])).toBe(
    '[agents]\nx.arguments = ["--a b", "\\""]\n',
  )
})

test('a value is removed with its line; what remains means the same', () => {
  const text = '# all\nall = true # yes\nlist = [\n  1,\n] # end\n[projects]\nshop = "x"\n'
  expect(withoutTomlValue(text, ['all'])).toBe(text.replace('all = true # yes\n', ''))
  expect(withoutTomlValue(text, ['list'])).toBe('# all\nall = true # yes\n[projects]\nshop = "x"\n')
  expect(withoutTomlValue(text, ['projects', 'shop'])).toBe(text.replace('shop = "x"\n', ''))
  expect(withoutTomlValue(text, ['none'])).toBe(text)
  expect(() => withoutTomlValue('projects = { a = 1, b = 2 }', ['projects', 'a'])).toThrow('does not change')
})

test('the line of a value', () => {
  const text = '\n# all = 1\nnotes = """\nall = 2\n"""\n[x]\n"a b" . c = 3\n'
  const lines = [['notes'], ['x'], ['x', 'a b', 'c'], ['all']].map((path) => tomlLine(text, path))
  expect(lines).toEqual([3, 6, 7, undefined])
})

/** Text of a random file, and its comments. */
const files = fc
  .array(
    fc.record({
      table: fc.constantFrom('', '[projects]', '[agents.one]', '["odd name"]', '[[hooks]]'),
      keys: fc.uniqueArray(fc.constantFrom('agent', 'all', 'pager', '"a b"', "'c d'", 'shop', 'web', 'arguments'), {
        maxLength: 4,
      }),
      values: fc.array(
        fc.constantFrom(
          ...['true', '12', '1979-05-27 07:32:00', '"# no comment"', "'all = 1'", '"""\nall = 1 # no\n"""', "'''x''''"],
          ...['[\n  "a", # NOTE\n  "b"\n]', '{ x = [1, 2], "all" = "y" }', '[]', '"\\"\\u0041]"', '0x1F'],
        ),
        { minLength: 4, maxLength: 4 },
      ),
      notes: fc.array(fc.constantFrom('', ' # NOTE', '\n# NOTE all = false', '\n\n'), { minLength: 4, maxLength: 4 }),
      indent: fc.constantFrom('', '  ', '\t'),
    }),
    { maxLength: 4 },
  )
  .map((tables) => {
    const seen = new Set<string>()
    const ordered = tables
      .filter(({ table }) => table === '[[hooks]]' || (!seen.has(table) && seen.add(table)))
      .sort((a, b) => Number(a.table !== '') - Number(b.table !== ''))
    return ordered
      .map(({ table, keys, values, notes, indent }) =>
        [
          ...(table === '' ? ['# NOTE top'] : [`${table} # NOTE of the table`]),
          ...keys.map((key, index) => `${indent}${key} = ${values[index]}${notes[index]}`),
        ].join('\n'),
      )
      .join('\n\n')
  })
  .chain((text) => fc.constantFrom(text, `${text}\n`, text.replaceAll('\n', '\r\n')))

const paths = fc.constantFrom<string[]>(
  ...[['agent'], ['all'], ['pager'], ['a b'], ['projects', 'shop'], ['projects', 'new one'], ['agents', 'one', 'all']],
  ...[
    ['agents', 'two', 'arguments'],
    ['odd name', 'c d'],
  ],
)
const values = fc.oneof(
  fc.boolean(),
  fc.string({ unit: 'binary' }).filter((text) => !/\p{Cs}/u.test(text)),
  fc.array(fc.constantFrom('--model', '"', '# x', '\\')),
)

test('for any file: setting a value and parsing equals parsing and assigning, and comments survive', () => {
  const notes = (text: string): number => text.split('NOTE').length - 1
  fc.assert(
    fc.property(files, paths, values, (text, path, value) => {
      const before = parseToml(text)
      const changed = withTomlValue(text, path, value)
      expect(parseToml(changed)).toEqual(withValue(before, path, value))
      // Except those within the value that was replaced.
      const replaced = tomlParts(text).entries.find((entry) => entry.path.join('\n') === path.join('\n'))
      const lost = replaced ? notes(text.slice(replaced.valueStart, replaced.valueEnd)) : 0
      if (changed !== text) expect(notes(changed)).toBe(notes(text) - lost)
      const removed = withoutTomlValue(changed, path)
      expect(valueAt(parseToml(removed), path)).toBeUndefined()
      expect(withTomlValue(changed, path, value)).toBe(changed)
    }),
    { numRuns: 500 },
  )
})
