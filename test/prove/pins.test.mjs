import { expect, test } from 'vitest'
import { agentNames, changeAgainstPins, packageName, pinOf, versionsToProve } from './pins.mjs'
import { worlds } from './worlds/index.mjs'

test('every agent is pinned to exact versions, or says why it cannot be had', () => {
  const loose = agentNames().filter((name) => {
    const pin = pinOf(name)
    if ('unavailable' in pin) return !pin.unavailable
    return pin.versions.length === 0 || pin.versions.some((version) => !/^v?\d+\.\d+\.\d+(-g[0-9a-f]+)?$/.test(version))
  })
  expect(loose).toEqual([])
})

test('every agent that can be had has a world; agentapi is no agent', () => {
  const installable = agentNames().filter((name) => !('unavailable' in pinOf(name)))
  expect(installable.filter((name) => !worlds[name])).toEqual(['agentapi'])
})

test('all pinned versions are proven; the newest instead of them when asked, but an old build stays', () => {
  expect(versionsToProve('gemini')).toEqual(['0.61.0', '0.33.0'])
  expect(versionsToProve('gemini', { latest: true })).toEqual([undefined])
  expect(versionsToProve('amp', { latest: true })).toEqual(['0.0.1768018268-gcd18ba'])
  expect(versionsToProve('cursor', { latest: true })).toEqual([])
})

test('a package may have a name for each platform', () => {
  const goose = /** @type {import('./pins.mjs').Pin} */ (pinOf('goose'))
  expect(packageName(goose, { platform: 'darwin', arch: 'arm64' })).toBe('@aaif/goose-binary-darwin-arm64')
})

test('a version that is not pinned is reported', () => {
  expect(changeAgainstPins('codex', '0.166.0')).toBeUndefined()
  expect(changeAgainstPins('codex', '0.170.0')).toBe('codex: 0.166.0 is pinned, 0.170.0 is the newest')
})

test('an unknown name is an error that lists the known ones', () => {
  expect(() => pinOf('nobody')).toThrow(/no agent nobody in pins.json; there are claude, goose/)
})
