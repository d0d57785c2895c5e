import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scratchIo } from '../../test/support/scratch.ts'
import { noConfig } from './config.ts'
import { configFile, loadConfig } from './load.ts'
import { parseConfig } from './read.ts'

const io = { home: '/home/dev' }

test('all settings', () => {
  const text = `
agent = "codex"
pager = "most -w"
colour = "never"
all = true
[agents.codex]
arguments = ["--model", "x"]
[agents.goose]
arguments = []
[projects]
shop = "~/src/shop"
"my.app" = "/srv/app"
[replica]
address = "s3://bucket/ion"
key_file = "~/key"
recipients = ["age1x"]
encryption = false
days = 30
`
  expect(parseConfig(text, io)).toEqual({
    agent: 'codex',
    pager: 'most -w',
    colour: 'never',
    all: true,
    arguments: new Map([
      ['codex', ['--model', 'x']],
      ['goose', []],
    ]),
    projects: new Map([
      ['shop', '/home/dev/src/shop'],
      ['my.app', '/srv/app'],
    ]),
    replica: {
      address: 's3://bucket/ion',
      key_file: '/home/dev/key',
      recipients: ['age1x'],
      encryption: false,
      days: 30,
    },
    problems: [],
  })
  expect(parseConfig('', io)).toEqual(noConfig)
  expect(parseConfig('[projects]\n[agents.codex]\n# nothing yet', io)).toEqual(noConfig)
  expect(parseConfig('color = "always"\npager = false', io)).toEqual({ ...noConfig, colour: 'always', pager: false })
})

test.each<[text: string, line: number, message: string, hint: RegExp]>([
  ['\npagr = "less"', 2, 'unknown setting "pagr"', /^did you mean pager\? known: agent, /],
  ['newer = 1', 1, 'unknown setting "newer"', /^known: agent, agents\.<agent>\.arguments, pager/],
  ['# x\n[newer]\na = 1\nb = 2', 2, 'unknown setting "newer"', /^known: /],
  ['agent = "codx"', 1, 'wrong value of "agent"', /^did you mean codex\? allowed: one of: aider, /],
  ['agent = "ion"', 1, 'wrong value of "agent"', /^allowed: one of: aider, /],
  ['agent = 3', 1, 'wrong value of "agent"', /^allowed: one of: aider, /],
  ['pager = true', 1, 'wrong value of "pager"', /^allowed: a command such as "less -R", or false$/],
  ['pager = " "', 1, 'wrong value of "pager"', /^allowed: a command/],
  ['colour = "red"', 1, 'wrong value of "colour"', /^allowed: auto, always, never$/],
  ['all = "yes"', 1, 'wrong value of "all"', /^allowed: true or false$/],
  ['all = 1979-05-27', 1, 'wrong value of "all"', /^allowed: true or false$/],
  ['[agents.codex]\narguments = "--x"', 2, 'wrong value of "agents.codex.arguments"', /^allowed: a list of strings$/],
  ['[agents.codex]\nargument = []', 2, 'unknown setting "agents.codex.argument"', /mean agents\.codex\.arguments\?/],
  ['[agents.codx]\narguments = []', 1, 'unknown agent "codx" in "agents.codx"', /^did you mean codex\? one of: /],
  ['projects = 3', 1, '"projects" is a table, not a setting', /such as projects\.shop = "~\/src\/shop"$/],
  ['[projects]\nshop = "src/shop"', 2, 'wrong value of "projects.shop"', /^allowed: an absolute path, or .* ~\/$/],
  ['[projects.shop]\npath = "/x"', 1, 'wrong value of "projects.shop"', /^allowed: an absolute path/],
  ['[projects]\n"../x" = "/x"', 2, '"../x" cannot be the name of a project', /begins with a letter or digit$/],
])('%j is reported and ignored', (text, line, message, hint) => {
  const used = { ...noConfig, arguments: new Map([['goose', ['x']]]) }
  expect(parseConfig(`${text}\n[agents.goose]\narguments = ["x"]`, io)).toEqual({
    ...used,
    problems: [{ line, message, hint: expect.stringMatching(hint) }],
  })
})

test('a file that is not TOML is not used at all', () => {
  expect(parseConfig('all = true\nagent = "codex\n', io)).toEqual({
    ...noConfig,
    problems: [{ line: 2, message: expect.stringMatching(/^not valid TOML: [^\n]+$/), hint: 'ion config edit' }],
  })
})

test('whatever the file contains, it does not throw', () => {
  const words = fc.constantFrom(
    'agent',
    'agents',
    '.',
    '=',
    '[',
    ']',
    '"',
    "'",
    '\n',
    '{',
    '}',
    'x',
    '1',
    '__proto__',
    ',',
  )
  fc.assert(fc.property(fc.array(words), (parts) => void parseConfig(parts.join(''), io)))
})

test('no file, a folder in its place, one that cannot be read, and a wrong home', async () => {
  const io = scratchIo()
  const file = configFile(io)
  expect(await loadConfig(io)).toBe(noConfig)
  expect(await loadConfig({ ...io, env: { ION_HOME: 'relative' } })).toBe(noConfig)
  mkdirSync(file, { recursive: true })
  expect(await loadConfig(io)).toEqual({
    ...noConfig,
    problems: [{ message: expect.stringContaining(`cannot read ${file}: `), hint: `check the permissions of ${file}` }],
  })
})

test('the file is read from the home of Ion', async () => {
  const io = scratchIo()
  mkdirSync(dirname(configFile(io)))
  writeFileSync(configFile(io), 'all = true\n')
  chmodSync(configFile(io), 0o600)
  expect(await loadConfig(io)).toEqual({ ...noConfig, all: true })
})
