import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { worlds } from './index.mjs'

/** @type {import('./base.mjs').Place} */
let place
beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), 'world-'))
  const project = join(root, 'shop')
  mkdirSync(project)
  place = { root, modelUrl: 'http://127.0.0.1:1234/w-one', program: '/cache/x/bin/x', project }
})
afterEach(() => rmSync(place.root, { recursive: true, force: true }))

test.each(Object.keys(worlds))('%s writes only below its root, for the user alone', (name) => {
  const { home, files } = worldOf(name)
  expect(home).toBe(join(place.root, 'home'))
  expect(files.filter((file) => !file.startsWith(`${home}/`))).toEqual([])
  expect(files.map((file) => statSync(file).mode & 0o777)).toEqual(files.map(() => 0o600))
})

test.each(Object.keys(worlds))('%s sees nothing of this machine but its programs', (name) => {
  const { env, home } = worldOf(name)
  const { PATH = '', ...rest } = env
  expect(PATH.split(':')[0]).toBe('/cache/x/bin')
  expect(Object.values(rest).filter((value) => value.startsWith('/') && !value.startsWith(place.root))).toEqual([
    '/bin/sh',
  ])
  expect(env.HOME).toBe(home)
})

test.each(Object.keys(worlds))('%s knows no address but the model', (name) => {
  const { env } = worldOf(name)
  const addresses = Object.values(env).flatMap((value) => value.match(/https?:\/\/[^"\s]+/g) ?? [])
  expect(addresses.filter((address) => !address.startsWith('http://127.0.0.1:1234'))).toEqual([])
})

/** @param {string} name */
function worldOf(name) {
  const make = worlds[name]
  if (!make) throw new Error(name)
  return make(place)
}
