import { expect, expectTypeOf, test } from 'vitest'
import { type ArgumentsOf, type CommandDefinition, type OptionsOf, withDefaults } from './command.ts'
import { commands } from './commands/index.ts'

const example = {
  name: 'example',
  summary: '',
  arguments: [
    { name: 'subcommand', summary: '', required: true, choices: ['list', 'verify'] },
    { name: 'file', summary: '' },
    { name: 'id', summary: '', many: true },
  ],
  options: [
    { flags: '-n, --dry-run', summary: '' },
    { flags: '-o, --output <file>', summary: '' },
    { flags: '--format <format>', summary: '', choices: ['md', 'html'] },
    { flags: '--load-state [boolean]', summary: '' },
    { flags: '--agent <id>', summary: '', many: true },
    { flags: '--no-pager', summary: '' },
  ],
} as const satisfies CommandDefinition

test('arguments and options are typed by their definition', () => {
  expectTypeOf<ArgumentsOf<typeof example>>().toEqualTypeOf<
    readonly ['list' | 'verify', string | undefined, readonly string[]]
  >()
  expectTypeOf<OptionsOf<typeof example>>().toEqualTypeOf<{
    readonly dryRun: boolean
    readonly output: string | undefined
    readonly format: 'md' | 'html' | undefined
    readonly loadState: string | true | undefined
    readonly agent: readonly string[]
    readonly pager: boolean
  }>()
  expectTypeOf<ArgumentsOf<{ name: 'none'; summary: '' }>>().toEqualTypeOf<readonly []>()
})

test('options that are not given have defaults of the same types', () => {
  const defaults = { dryRun: false, output: undefined, format: undefined, loadState: undefined, agent: [], pager: true }
  expect(withDefaults(example, {})).toEqual(defaults)
  expect(withDefaults(example, { dryRun: true, agent: ['x'] })).toEqual({ ...defaults, dryRun: true, agent: ['x'] })
})

test('every option has a long name, which is its key', () => {
  const flags = commands.flatMap(({ options = [] }) => options.map((option) => option.flags))
  expect(flags.filter((text) => !/(^|, )--[a-z][a-z0-9-]+( [<[]\w+[>\]])?$/.test(text))).toEqual([])
})
