import { describe, expect, test } from 'vitest'
import { fixtureHome, isLetIn, keptPaths } from '../../../test/support/backup-parts.ts'
import { listAll } from '../../../test/support/read-all.ts'
import { isProblem } from '../../events/item.ts'
import { readContext } from '../../native/read-context.ts'
import agent from './index.ts'

/** The sessions whose rows are parts, in order. */
function sessionsKept(native: string, version: string): unknown[] {
  const io = fixtureHome(agent, version)
  const head = listAll(agent, io).heads.find(({ native_id }) => native_id === native)!
  return [...agent.backup!.parts(head, readContext(io))].flatMap((part) => {
    if (isProblem(part) || part.kind !== 'rows') throw new Error('not rows')
    return part.tables.filter(({ table }) => table === 'session').map(({ where }) => where.id)
  })
}

describe('opencode: the parts of a session', () => {
  test('its rows and those of its sub-agents; a sub-agent has only its own', () => {
    const { heads } = listAll(agent, fixtureHome(agent, '1.18.33'))
    const child = heads.find(({ parent_session }) => parent_session)!
    const parent = heads.find(({ id }) => id === child.parent_session)!
    expect(sessionsKept(parent.native_id, '1.18.33')).toEqual([parent.native_id, child.native_id])
    expect(sessionsKept(child.native_id, '1.18.33')).toEqual([child.native_id])
  })

  test('for a session in a tree: its files, those of its sub-agents, and the shared project', () => {
    const paths = keptPaths(agent, 'ses_0f0f0f0f0ffeTreeSessionAAAA', fixtureHome(agent, 'handmade-json-tree'))
    const project = '3c2e14bf891acdd9c85f633ef3f93558ec31026a'
    expect(paths.filter((path) => !/^storage\/(message|part)\//.test(path))).toEqual([
      `storage/session/${project}/ses_0f0f0f0f0ffeTreeSessionAAAA.json`,
      'storage/todo/ses_0f0f0f0f0ffeTreeSessionAAAA.json',
      'storage/session_diff/ses_0f0f0f0f0ffeTreeSessionAAAA.json',
      `storage/session/${project}/ses_0f0f0f0f0ffdTreeChildBBBBBB.json`,
      'storage/todo/ses_0f0f0f0f0ffdTreeChildBBBBBB.json',
      'storage/session_diff/ses_0f0f0f0f0ffdTreeChildBBBBBB.json',
      `storage/project/${project}.json shared`,
    ])
    expect(paths.filter((path) => /^storage\/part\//.test(path))).toHaveLength(7)
  })

  test.each([
    'auth.json',
    'mcp-auth.json',
    'storage/session_share/ses_1.json',
    'snapshot/global/hooks/pre-commit',
    'bin/rg',
    'opencode.json',
  ])('%s is not let in', (path) => {
    expect(isLetIn(agent, path)).toBe(false)
  })
})
