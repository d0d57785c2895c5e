import { expect, test } from 'vitest'
import { tomlValues, withTomlValue } from './toml.ts'

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

test('plain values, with the keys that lead to them', () => {
  expect(tomlValues(TEXT).map(({ path, value }) => [path.join(' > '), value])).toEqual([
    ['model', 'gpt-5'],
    ['model_provider', 'stub'],
    ['notes', ''],
    ['count', '3'],
    ['model_providers > stub > base_url', 'http://127.0.0.1/v1'],
    ['projects > /home/dev/a "b" > trust_level', 'trusted'],
  ])
  expect(tomlValues('projects."/home/dev/a".trust_level = "trusted"').map(({ path }) => path)).toEqual([
    ['projects', '/home/dev/a', 'trust_level'],
  ])
})

test('a value is set in its place, in its table, or in a new one', () => {
  const trust = (folder: string): string => withTomlValue(TEXT, ['projects', folder], 'trust_level', '"new"')
  expect(trust('/home/dev/a "b"')).toBe(TEXT.replace('trust_level = "trusted"', 'trust_level = "new"'))
  expect(trust('/home/dev/c')).toBe(`${TEXT}trust_level = "new"\n`)
  expect(trust('/home/dev/d')).toBe(`${TEXT}\n[projects."/home/dev/d"]\ntrust_level = "new"\n`)
  expect(withTomlValue('', ['tui'], 'resume_cwd', '"session"')).toBe('[tui]\nresume_cwd = "session"\n')
})

test.each([
  'projects = { "/home/dev/a" = { trust_level = "trusted" } }',
  'projects."/home/dev/a".trust_level = "trusted"',
])('another form is left to the user: %s', (text) => {
  expect(() => withTomlValue(text, ['projects', '/home/dev/a'], 'trust_level', '"trusted"')).toThrow(
    expect.objectContaining({
      message: 'projects is written in a form that Ion does not change',
      hint: 'set projects."/home/dev/a".trust_level = "trusted" by hand',
    }),
  )
})
