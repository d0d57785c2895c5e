import type { SessionRow } from '../../src/catalog/session-row.ts'
import { noTokens } from '../../src/events/session.ts'

/** A session's row with defaults for what a test does not care about. */
export function sessionRow(known: Partial<SessionRow> = {}): SessionRow {
  return {
    id: '11111111-0000-4000-8000-000000000001',
    agent: 'claude',
    native_id: known.id ?? '11111111-0000-4000-8000-000000000001',
    title: 'Fix the login redirect',
    cwd: '/home/dev/shop',
    project: known.cwd ?? '/home/dev/shop',
    created_at: '2026-11-15T20:00:00.000Z',
    updated_at: '2026-11-15T22:00:00.000Z',
    messages: 14,
    tool_calls: 22,
    tokens: noTokens,
    model: 'model-1',
    bytes: 120_000,
    path: '/home/dev/.claude/1.jsonl',
    resumable: true,
    archived: false,
    only_in_archive: false,
    live: null,
    problems: 0,
    parent_session: null,
    forked_from: null,
    hidden: false,
    handed_over_to: [],
    name: null,
    tags: [],
    pinned: false,
    note: null,
    ...known,
  }
}
