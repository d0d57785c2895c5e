import type { Retention } from '../agents/agent.ts'
import type { SessionRow } from '../catalog/session-row.ts'
import { stampOf } from '../native/walk.ts'
import type { Io } from '../platform/io.ts'
import type { DeletionLine, RetentionRule } from './lines.ts'

export const DAY = 86_400_000

/** Deletions within this many days are reported as upcoming. */
export const SOON_DAYS = 7

/** The latest time that a Date can hold. A limit of a million years means never, and must not be an error. */
const END_OF_TIME = 8.64e15

/** What an agent will delete by its retention rule, soonest first. Sessions of unknown age are left out. */
export function deletionsOf(rule: Retention, rows: readonly SessionRow[], io: Io): DeletionLine[] {
  const now = io.now().getTime()
  return rows
    .flatMap((row): DeletionLine[] => {
      const at = (countedFrom(rule, row) ?? Number.NaN) + rule.days * DAY
      if (Number.isNaN(at) || at > END_OF_TIME) return []
      return [
        {
          kind: 'deletion',
          id: row.id,
          agent: row.agent,
          title: row.title,
          project: row.project,
          bytes: row.bytes,
          deleted_after: new Date(at).toISOString(),
          days_left: Math.max(0, Math.ceil((at - now) / DAY)),
          archived: row.archived,
        },
      ]
    })
    .sort(sooner)
}

export function sooner(a: DeletionLine, b: DeletionLine): number {
  return a.deleted_after < b.deleted_after ? -1 : a.deleted_after > b.deleted_after ? 1 : a.id < b.id ? -1 : 1
}

export function ruleOf(rule: Retention, deletions: readonly DeletionLine[]): RetentionRule {
  const within = (days: number): number => deletions.filter((line) => line.days_left <= days).length
  return {
    days: rule.days,
    setting: rule.setting,
    counts: rule.counts,
    danger: rule.danger ?? null,
    due: within(0),
    due_7d: within(SOON_DAYS),
  }
}

function countedFrom(rule: Retention, row: SessionRow): number | undefined {
  return rule.counts === 'file time' ? stampOf(row.path)?.mtimeMs : Date.parse(row.updated_at ?? '')
}
