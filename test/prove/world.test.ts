import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { agentsWith } from '../../scripts/agent-folders.ts'
import { loadWorld, type Place, type World } from './world.ts'

const ids = agentsWith('test/world.ts').map(({ id }) => id)

let place: Place
beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), 'world-'))
  const project = join(root, 'shop')
  mkdirSync(project)
  place = { root, modelUrl: 'http://127.0.0.1:1234/w-one', program: '/cache/x/bin/x', project }
})
afterEach(() => rmSync(place.root, { recursive: true, force: true }))

test.each(ids)('%s writes only below its root, for the user alone', async (id) => {
  const { home, files } = await worldOf(id)
  expect(home).toBe(join(place.root, 'home'))
  expect(files.filter((file) => !file.startsWith(`${home}/`))).toEqual([])
  expect(files.map((file) => statSync(file).mode & 0o777)).toEqual(files.map(() => 0o600))
})

test.each(ids)('%s sees nothing of this machine except its programs', async (id) => {
  const { env, home } = await worldOf(id)
  const { PATH = '', ...rest } = env
  expect(PATH.split(':')[0]).toBe('/cache/x/bin')
  expect(Object.values(rest).filter((value) => value.startsWith('/') && !value.startsWith(place.root))).toEqual([
    '/bin/sh',
  ])
  expect(env.HOME).toBe(home)
})

test.each(ids)('%s knows only the address of the model', async (id) => {
  const { env } = await worldOf(id)
  const addresses = Object.values(env).flatMap((value) => value.match(/https?:\/\/[^"\s]+/g) ?? [])
  expect(addresses.filter((address) => !address.startsWith('http://127.0.0.1:1234'))).toEqual([])
})

async function worldOf(id: string): Promise<World> {
  const { default: make } = await loadWorld(id)
  return make(place)
}
