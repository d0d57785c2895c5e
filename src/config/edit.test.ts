import { lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchIo } from '../../test/support/scratch.ts'
import { noConfig } from './config.ts'
import { setValue, templateText, unsetValue } from './edit.ts'
import { configFile } from './load.ts'
import { parseConfig } from './read.ts'

function world(text?: string) {
  const io = scratchIo()
  const file = configFile(io)
  if (text !== undefined) {
    mkdirSync(dirname(file))
    writeFileSync(file, text)
  }
  return { io, file, text: () => readFileSync(file, 'utf8') }
}

test('values are typed as words and written as TOML, into a file that only the user can read', () => {
  const { io, file, text } = world()
  setValue('agent', ['codex'], io)
  setValue('pager', ['less', '-R'], io)
  setValue('color', ['never'], io)
  setValue('all', ['true'], io)
  setValue('agents.codex.arguments', ['--model', 'a b'], io)
  setValue('agents.goose.arguments', ['["x", "y"]'], io)
  setValue('projects.my.app', ['src/app'], io)
  setValue('projects.far', ['/srv/far'], io)
  setValue('pager', ['false'], io)
  expect(text()).toBe(`agent = "codex"
pager = false
colour = "never"
all = true

[agents.codex]
arguments = ["--model", "a b"]

[agents.goose]
arguments = ["x", "y"]

[projects]
"my.app" = "~/src/app"
far = "/srv/far"
`)
  expect(parseConfig(text(), io).problems).toEqual([])
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('comments and the spelling stay; what is removed is only its line', () => {
  const mine = '# mine\ncolor = "auto" # why\n\n# places\n[projects]\n  shop = "/a" # s\n'
  const { io, text } = world(mine)
  setValue('colour', ['never'], io)
  setValue('projects.web', ['/b'], io)
  expect(text()).toBe('# mine\ncolor = "never" # why\n\n# places\n[projects]\n  shop = "/a" # s\n  web = "/b"\n')
  expect([unsetValue('projects.web', io), unsetValue('projects.web', io), unsetValue('colour', io)]).toEqual([
    ...[true, false, true],
  ])
  expect(text()).toBe('# mine\n\n# places\n[projects]\n  shop = "/a" # s\n')
})

test.each([
  ['all', ['yes'], '"yes" is not a value of all', 'allowed: true or false'],
  ['agent', ['codx'], '"codx" is not a value of agent', /^did you mean codex\? allowed: one of: aider/],
  ['agent', ['nobody'], '"nobody" is not a value of agent', /^allowed: one of: aider/],
  ['colour', ['nevr'], '"nevr" is not a value of colour', /^did you mean never\? allowed: auto, always, never$/],
  ['colour', ['auto', 'never'], '"auto never" is not a value of colour', 'allowed: auto, always, never'],
  ['agents.codex.arguments', ['[1, 2]'], /is not a value of agents\.codex\.arguments$/, 'allowed: a list of strings'],
  ['pager', [' '], '" " is not a value of pager', /^allowed: a command/],
  ['nothing', ['x'], 'unknown setting "nothing"', /^known: /],
  ['projects', ['x'], '"projects" is a table, not a setting', /such as projects\.shop = "~\/src\/shop"$/],
] as const)('%s = %j is refused, and the file is not touched', (key, words, message, hint) => {
  const { io, text } = world('# mine\n')
  expect(() => setValue(key, words, io)).toThrowError(
    expect.objectContaining({
      kind: 'usage',
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    }),
  )
  expect(text()).toBe('# mine\n')
})

test('a file that is not TOML, or has a form that cannot be changed safely, is left to the editor', () => {
  const broken = world('all = \n')
  expect(() => setValue('all', ['true'], broken.io)).toThrowError(
    expect.objectContaining({
      message: expect.stringMatching(/config\.toml, line 1: not valid TOML/),
      hint: 'ion config edit',
    }),
  )
  const inline = world('projects = { shop = "/a" }\n')
  expect(() => setValue('projects.web', ['/b'], inline.io)).toThrowError(
    expect.objectContaining({ hint: 'ion config edit; set projects.web = "/b" by hand' }),
  )
  expect([broken.text(), inline.text()]).toEqual(['all = \n', 'projects = { shop = "/a" }\n'])
})

test('a link to the file stays one', () => {
  const { io, file } = world()
  const real = join(io.home, 'dotfiles.toml')
  writeFileSync(real, '# mine\n', { mode: 0o644 })
  mkdirSync(dirname(file), { recursive: true })
  symlinkSync(real, file)
  setValue('all', ['true'], io)
  expect([lstatSync(file).isSymbolicLink(), readFileSync(real, 'utf8')]).toEqual([true, '# mine\nall = true\n'])
})

test('a new file explains every setting, and each example is valid', () => {
  const { io } = world()
  const template = templateText()
  expect(parseConfig(template, io)).toEqual(noConfig)
  const examples = template.replaceAll(/^# (\S+ = )/gm, '$1')
  expect(parseConfig(examples, io)).toEqual({
    agent: 'aider',
    arguments: new Map([['aider', ['--model', 'name']]]),
    pager: 'less -R',
    colour: 'never',
    all: true,
    projects: new Map([['shop', join(io.home, 'src/shop')]]),
    replica: {
      address: 's3://bucket/ion',
      key_file: join(io.home, '.ion/replica.key'),
      recipients: ['age1…'],
      encryption: true,
      days: 7,
    },
    problems: [],
  })
})
