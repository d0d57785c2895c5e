import type { SessionTotals } from './catalog.ts'

export function sumTotals(all: readonly SessionTotals[]): SessionTotals {
  const sum = (of: (totals: SessionTotals) => number): number => all.reduce((total, one) => total + of(one), 0)
  return {
    sessions: sum(({ sessions }) => sessions),
    only_in_archive: sum(({ only_in_archive }) => only_in_archive),
    sub_agents: sum(({ sub_agents }) => sub_agents),
    hidden: sum(({ hidden }) => hidden),
  }
}
