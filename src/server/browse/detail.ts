import { existsSync } from 'node:fs'
import type { SessionRow } from '../../catalog/session-row.ts'
import type { SessionDetail } from './contract.ts'
import type { SessionIndex } from './session-index.ts'
import { type SessionListing, titleOf } from './session-list.ts'

const MAX_SUB_AGENTS = 500

/** All that the index knows about a session. */
export async function detailOf(row: SessionRow, index: SessionIndex, listing: SessionListing): Promise<SessionDetail> {
  const rows = index.catalog.pageRows({ parent: row.id, hidden: true, limit: MAX_SUB_AGENTS })
  const { native_id, cwd, created_at, tool_calls, tokens, bytes, path, archived, resumable, forked_from } = row
  const { name, note, problems } = row
  const listed = await listing.row(row)
  return {
    ...listed,
    native_id,
    agent_title: titleOf(row.agent),
    cwd,
    cwd_exists: cwd !== null && existsSync(cwd),
    created_at,
    tool_calls,
    tokens,
    bytes,
    path,
    archived,
    resumable,
    forked_from,
    name,
    note,
    problems,
    // It finds the folder itself.
    resume_command: `ion --resume ${listed.id}`,
    sub_agents: await listing.listed(rows),
  }
}
