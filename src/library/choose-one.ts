import { type Candidate, MIN_PREFIX, pickOne } from '../catalog/find-session.ts'
import type { LocatedRow } from './store-rows.ts'

/** The one session that a reference names, by the rules of the catalogue. */
export function chooseOne(found: readonly LocatedRow[], reference: string): LocatedRow {
  return pickOne(reference, (name) => candidates(found, name)).found
}

function candidates(found: readonly LocatedRow[], name: string): (Candidate & { found: LocatedRow })[] {
  const lower = name.toLowerCase()
  const long = name.length >= MIN_PREFIX
  const rules: ((one: LocatedRow) => boolean)[] = [
    ({ head }) => head.id === lower,
    ({ head }) => head.native_id === name,
    ({ head }) => long && head.id.startsWith(lower),
    ({ head }) => long && head.native_id.startsWith(name),
    ({ head }) => head.title === name,
  ]
  const matching = rules.map((rule) => found.filter(rule)).find((some) => some.length > 0) ?? []
  return matching.map((one) => ({ ...one.head, store: one.store, found: one }))
}
