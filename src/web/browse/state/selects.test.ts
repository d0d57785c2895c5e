import { expect, test } from 'vitest'
import type { ListedSession } from '../../../server/browse/contract.ts'
import { selects } from './selects.ts'

const now = new Date('2026-11-16T12:00:00Z')

function session(more: Partial<ListedSession> = {}): ListedSession {
  return {
    id: 'a',
    agent: 'claude',
    title: 'title',
    project: '/home/dev/shop',
    updated_at: '2026-11-15T12:00:00.000Z',
    messages: 1,
    model: null,
    ...more,
  }
}

const cases: readonly [filter: string, more: Partial<ListedSession>, isSelected: boolean][] = [
  ['', {}, true],
  ['', { hidden: true }, false],
  ['', { parent: 'b' }, false],
  ['hidden=1', { hidden: true }, true],
  ['subagents=1', { parent: 'b' }, true],
  ['agent=claude', {}, true],
  ['agent=codex', {}, false],
  ['agent=codex,claude', {}, true],
  ['project=/home/dev/shop', {}, true],
  ['project=/home/dev', {}, true],
  ['project=/', {}, true],
  ['project=/home/dev/sho', {}, false],
  ['project=/home/dev/shop', { project: null }, false],
  ['tag=a', { tags: ['b', 'a'] }, true],
  ['tag=a,c', { tags: ['b', 'a'] }, true],
  ['tag=a', {}, false],
  ['pinned=1', {}, false],
  ['pinned=1', { pinned: true }, true],
  ['archived=1', {}, false],
  ['archived=1', { only_in_archive: true }, true],
  // The times of the filter bar, and those that only an address can have.
  ['since=24h', {}, true],
  ['since=23h', {}, false],
  ['since=7d', {}, true],
  ['since=24h', { updated_at: '2026-11-15T11:59:59.999Z' }, false],
  ['since=2026-11-16', {}, false],
  ['since=2026-11-14', {}, true],
  ['since=2026-11-15T12:00:00.001Z', {}, false],
  ['since=24h', { updated_at: null }, false],
  ['since=never', {}, false],
  ['since=7d&agent=claude&tag=a', { tags: ['a'] }, true],
  ['since=7d&agent=claude&tag=a', {}, false],
]

test.each(cases)('"%s" and %j: %s', (filter, more, isSelected) => {
  expect(selects(new URLSearchParams(filter), session(more), now)).toBe(isSelected)
})
