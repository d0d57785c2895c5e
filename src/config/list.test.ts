import { expect, test } from 'vitest'
import { scratchIo } from '../../test/support/scratch.ts'
import { noConfig } from './config.ts'
import { getSetting, listSettings } from './list.ts'
import { parseConfig } from './read.ts'

test('without a file, everything is the default', () => {
  expect(listSettings(noConfig, scratchIo())).toEqual([
    { key: 'agent', value: null, source: 'default' },
    { key: 'pager', value: null, source: 'default' },
    { key: 'colour', value: 'auto', source: 'default' },
    { key: 'all', value: false, source: 'default' },
  ])
})

const text =
  'agent = "codex"\npager = false\ncolour = "always"\nagents.codex.arguments = ["x"]\nprojects.shop = "~/shop"'

test('the environment comes before the file, the file before the default', () => {
  const io = scratchIo()
  const config = parseConfig(text, io)
  expect(listSettings(config, io)).toEqual([
    { key: 'agent', value: 'codex', source: 'file' },
    { key: 'agents.codex.arguments', value: ['x'], source: 'file' },
    { key: 'pager', value: false, source: 'file' },
    { key: 'colour', value: 'always', source: 'file' },
    { key: 'all', value: false, source: 'default' },
    { key: 'projects.shop', value: '~/shop', source: 'file' },
  ])
  const of = (key: string, env: Record<string, string>) => getSetting(key, config, { ...io, env })
  const fromEnvironment = (key: string, value: unknown, variable: string) => ({
    ...{ key, value, source: 'environment', variable },
  })
  expect(of('pager', { PAGER: 'most -w' })).toEqual(fromEnvironment('pager', 'most -w', 'PAGER'))
  expect(of('pager', { PAGER: '' })).toEqual(fromEnvironment('pager', false, 'PAGER'))
  expect(of('color', { NO_COLOR: '1', FORCE_COLOR: '1' })).toEqual(fromEnvironment('colour', 'never', 'NO_COLOR'))
  expect(of('colour', { FORCE_COLOR: '1' })).toEqual(fromEnvironment('colour', 'always', 'FORCE_COLOR'))
  expect(of('colour', { NO_COLOR: '', FORCE_COLOR: '0' })).toEqual({ key: 'colour', value: 'always', source: 'file' })
})

test('one setting by its key', () => {
  const io = scratchIo()
  const config = parseConfig(text, io)
  expect(getSetting('projects.shop', config, io)).toEqual({ key: 'projects.shop', value: '~/shop', source: 'file' })
  expect(getSetting('projects.web', config, io)).toEqual({ key: 'projects.web', value: null, source: 'default' })
  expect(() => getSetting('agnt', config, io)).toThrow('unknown setting "agnt"')
})
