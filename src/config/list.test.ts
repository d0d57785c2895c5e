import { expect, test } from 'vitest'
import { scratchIo } from '../../test/support/scratch.ts'
import { noConfig } from './config.ts'
import { getSetting, listSettings } from './list.ts'
import { parseConfig } from './read.ts'

const replica = [
  { key: 'replica.address', value: null, source: 'default' },
  { key: 'replica.key_file', value: null, source: 'default' },
  { key: 'replica.recipients', value: null, source: 'default' },
  { key: 'replica.encryption', value: true, source: 'default' },
  { key: 'replica.days', value: 7, source: 'default' },
]

test('without a file, everything is the default', () => {
  expect(listSettings(noConfig, scratchIo())).toEqual([
    { key: 'agent', value: null, source: 'default' },
    { key: 'pager', value: null, source: 'default' },
    { key: 'colour', value: 'auto', source: 'default' },
    { key: 'all', value: false, source: 'default' },
    ...replica,
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
    ...replica,
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

test('the settings of replicas, from the file and the environment', () => {
  const io = scratchIo(undefined, { ION_REPLICA: 'none', ION_REPLICA_ENCRYPTION: 'none' })
  const config = parseConfig('replica.address = "s3://bucket"\nreplica.days = 30', io)
  const values = ['address', 'encryption', 'days'].map((name) => getSetting(`replica.${name}`, config, io))
  expect(values).toEqual([
    { key: 'replica.address', value: 'none', source: 'environment', variable: 'ION_REPLICA' },
    { key: 'replica.encryption', value: false, source: 'environment', variable: 'ION_REPLICA_ENCRYPTION' },
    { key: 'replica.days', value: 30, source: 'file' },
  ])
  expect(() => getSetting('replica.adress', config, io)).toThrow('unknown setting "replica.adress"')
  expect(parseConfig('replica.address = "bucket"\nreplica.days = 0', io).problems).toMatchObject([
    { line: 1, message: 'wrong value of "replica.address"' },
    { line: 2, message: 'wrong value of "replica.days"' },
  ])
})

test('one setting by its key', () => {
  const io = scratchIo()
  const config = parseConfig(text, io)
  expect(getSetting('projects.shop', config, io)).toEqual({ key: 'projects.shop', value: '~/shop', source: 'file' })
  expect(getSetting('projects.web', config, io)).toEqual({ key: 'projects.web', value: null, source: 'default' })
  expect(() => getSetting('agnt', config, io)).toThrow('unknown setting "agnt"')
})
