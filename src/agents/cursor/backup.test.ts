import { describe, expect, test } from 'vitest'
import { fixtureHome, isLetIn, keptPaths } from '../../../test/support/backup-parts.ts'
import agent from './index.ts'

const folder = 'chats/11e9fe063b91149eb10c6daf331adfaa'
const transcripts = 'projects/home-dev-shop/agent-transcripts'

describe('cursor: the parts of a chat', () => {
  const io = () => fixtureHome(agent, 'handmade-rich')

  test('its store, whose copy includes the WAL, and its description', () => {
    const own = `${folder}/d0000001-0000-4000-8000-000000000001`
    expect(keptPaths(agent, 'd0000001-0000-4000-8000-000000000001', io())).toEqual([
      `${own}/store.db`,
      `${own}/meta.json`,
    ])
  })

  test('its transcripts, and the files of its sub-agents', () => {
    const chat = `${transcripts}/d0000006-0000-4000-8000-000000000006`
    expect(keptPaths(agent, 'd0000006-0000-4000-8000-000000000006', io())).toEqual([
      `${chat}/d0000006-0000-4000-8000-000000000006.jsonl`,
      `${folder}/d0000006-0000-4000-8000-000000000006/meta.json`,
      `${chat}/subagents/d0000007-0000-4000-8000-000000000007.jsonl`,
    ])
    expect(keptPaths(agent, 'd0000007-0000-4000-8000-000000000007', io())).toEqual([
      `${chat}/subagents/d0000007-0000-4000-8000-000000000007.jsonl`,
    ])
  })

  test('in another home its folders are named after the new path', () => {
    const move = { from: '/home/dev/shop', to: '/home/kim/shop' }
    expect(agent.backup!.rewrite!.path!(`${folder}/x/store.db`, move)).toBe(
      'chats/660551772e49e9f7086e40c14caa7cd3/x/store.db',
    )
    expect(agent.backup!.rewrite!.path!(`${transcripts}/x.jsonl`, move)).toBe(
      'projects/home-kim-shop/agent-transcripts/x.jsonl',
    )
  })

  test.each(['auth.json', 'cli-config.json', 'mcp.json', 'rules/x.mdc', 'projects/x/mcp-approvals.json', 'hooks.json'])(
    '%s is not let in',
    (path) => {
      expect(isLetIn(agent, path)).toBe(false)
    },
  )
})
