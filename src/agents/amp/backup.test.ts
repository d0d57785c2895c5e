import { describe, expect, test } from 'vitest'
import { fixtureHome, isLetIn, keptPaths } from '../../../test/support/backup-parts.ts'
import { listAll } from '../../../test/support/read-all.ts'
import agent from './index.ts'

describe('amp: parts of a thread', () => {
  test('its file', () => {
    const io = fixtureHome(agent, '0.0.1768018268')
    const native = 'T-01a1e097-8970-7135-8ef0-e238aac5673f'
    expect(keptPaths(agent, native, io)).toEqual([`threads/${native}.json`])
  })

  test('nothing for a thread on the server', () => {
    const io = fixtureHome(agent, '0.0.1790142911')
    const { heads } = listAll(agent, io)
    expect(heads.map(({ native_id }) => keptPaths(agent, native_id, io))).toEqual(heads.map(() => []))
    expect(heads.length).toBeGreaterThan(0)
  })

  test.each(['secrets.json', 'session.json', 'threads/settings.json', 'threads/T-x/../../secrets.json'])(
    '%s is not an allowed path',
    (path) => {
      expect(isLetIn(agent, path)).toBe(false)
    },
  )
})
