import { mkdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder } from '../support/scratch.ts'
import { linkGiven, parseGiven } from './given-program.ts'
import type { Build } from './pins.ts'

const robot: Build = {
  name: 'robot',
  agent: 'robot',
  pin: { unavailable: 'in no registry', given: { program: 'robo', tokens: false } },
}

function programIn(folder: string, printed: string): string {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'some-build')
  writeFileSync(file, `#!/bin/sh\necho "${printed}"\n`, { mode: 0o755 })
  return file
}

test('a given program gets the name of the agent, and the version that it prints', async () => {
  const root = scratchFolder()
  const cache = join(root, 'cache')
  const path = programIn(join(root, 'bin'), 'robo-cli 3.2.1')
  const [given] = parseGiven([`robot=${path}`], [robot]).values()
  const { program, version } = await linkGiven(robot, given!, cache)
  expect([program, version, readlinkSync(program)]).toEqual([join(cache, 'robot-given', 'bin', 'robo'), '3.2.1', path])
})

test('a program that prints no version is an error', async () => {
  const root = scratchFolder()
  await expect(linkGiven(robot, programIn(root, 'hello'), root)).rejects.toThrow(/prints no version/)
})

test('what is not a program, or not of an agent that can be proven, is an error at once', () => {
  const text = join(scratchFolder(), 'text')
  writeFileSync(text, '', { mode: 0o600 })
  const unprovable: Build = { name: 'wall', agent: 'wall', pin: { unavailable: 'in no registry' } }
  const given = (value: string) => () => parseGiven([value], [robot, unprovable])
  expect(given('robot')).toThrow('--with takes agent=program, not "robot"')
  expect(given('nobody=/bin/sh')).toThrow('no agent "nobody" to prove')
  expect(given('wall=/bin/sh')).toThrow('wall cannot be proven')
  expect(given('robot=/nowhere/robo')).toThrow('/nowhere/robo does not exist')
  expect(given(`robot=${text}`)).toThrow('is not executable')
})
