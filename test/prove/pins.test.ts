import { expect, test } from 'vitest'
import { agentsWith } from '../../scripts/agent-folders.ts'
import { agents } from '../../src/agents/_registry.ts'
import { givenPin } from './given-program.ts'
import { agentapiBuild, type Build, builds, type Pin, packageName, versionsToProve } from './pins.ts'
import { stories } from './stories/index.ts'

const installable = builds().filter((build): build is Build & { pin: Pin } => !('unavailable' in build.pin))

test('every agent has a pin.json, and every one that can be installed or given has a world', () => {
  const ids = agents.filter((agent) => !agent.isArchive).map(({ id }) => id)
  expect([...new Set(builds().map(({ agent }) => agent))].sort()).toEqual(ids.sort())
  const worlds = agentsWith('test/world.ts').map(({ id }) => id)
  const provable = builds().filter((build) => givenPin(build))
  expect(provable.length).toBeGreaterThan(installable.length)
  expect(provable.filter(({ agent }) => !worlds.includes(agent))).toEqual([])
})

test('versions are exact, or it says why the agent is not available', () => {
  const loose = [...builds(), agentapiBuild()].filter(({ pin }) => {
    if ('unavailable' in pin) return !pin.unavailable
    return pin.versions.length === 0 || pin.versions.some((version) => !/^v?\d+\.\d+\.\d+(-g[0-9a-f]+)?$/.test(version))
  })
  expect(loose).toEqual([])
})

test('the stories that a pin asks for exist and are optional ones', () => {
  const unknown = builds().flatMap((build) =>
    (givenPin(build)?.stories ?? []).filter((name) => !stories[name]?.optional),
  )
  expect(unknown).toEqual([])
})

const robot: Pin = { from: 'npm', package: '@robot/cli-{os}-{cpu}', program: 'robot', versions: ['2.0.0', '1.0.0'] }
const build = (pin: Build['pin']): Build => ({ name: 'robot', agent: 'robot', pin })

test('all pinned versions are proven, or the newest; a frozen build stays as it is', () => {
  expect(versionsToProve(build(robot))).toEqual(['2.0.0', '1.0.0'])
  expect(versionsToProve(build(robot), { latest: true })).toEqual([undefined])
  expect(versionsToProve(build({ ...robot, frozen: true }), { latest: true })).toEqual(['2.0.0', '1.0.0'])
  expect(versionsToProve(build({ unavailable: 'not in a registry' }), { latest: true })).toEqual([])
})

test('a package may have a name for each platform', () => {
  expect(packageName(robot, { platform: 'darwin', arch: 'arm64' })).toBe('@robot/cli-darwin-arm64')
})

test('a name selects all builds of the agent; an unknown one is an error that lists the known ones', () => {
  const several = builds().find(({ name, agent }) => name !== agent)!
  expect(builds([several.agent]).length).toBeGreaterThan(1)
  expect(builds([several.name]).map(({ name }) => name)).toEqual([several.name])
  expect(() => builds(['nobody'])).toThrow(/no agent "nobody" has a test\/pin.json; known: \w+/)
})
