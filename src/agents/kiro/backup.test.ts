import { describe, expect, test } from 'vitest'
import { fixtureHome, isLetIn, keptPaths } from '../../../test/support/backup-parts.ts'
import { listAll } from '../../../test/support/read-all.ts'
import agent from './index.ts'

describe('kiro: parts of a session', () => {
  const io = () => fixtureHome(agent, 'handmade-2.28.0')

  test('engine v2: its files and those of its sub-agents, never a lock', () => {
    const details = fixtureHome(agent, 'handmade-details')
    const [parent, child] = ['b1000001', 'b1000002'].map(
      (start) => `${start}-0000-4000-8000-00000000000${start.at(-1)}`,
    )
    const files = (id: string): string[] => ['jsonl', 'json', 'history'].map((ending) => `cli/${id}.${ending}`)
    expect(keptPaths(agent, parent!, details)).toEqual([...files(parent!), ...files(child!)])
    expect(keptPaths(agent, child!, details)).toEqual(files(child!))
  })

  test('engine v3: its folder', () => {
    const own = '4dec2919c9153144/sess_d0000001-0000-4000-8000-000000000001'
    const head = listAll(agent, io()).heads.find(({ path }) => path.includes(own))!
    expect(keptPaths(agent, head.native_id, io())).toEqual([`${own}/session.json`, `${own}/messages.jsonl`])
  })

  test.each(['cli/b.lock', 'settings/cli.json', 'cli/../settings/mcp.json', 'steering/x.md', 'hooks/x.sh'])(
    '%s is not an allowed path',
    (path) => {
      expect(isLetIn(agent, path)).toBe(false)
    },
  )
})
