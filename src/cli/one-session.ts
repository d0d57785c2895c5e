import { IonError } from '../platform/error.ts'

interface Named {
  readonly id: string
  readonly native_id: string
}

const MIN_PREFIX = 4

/** The one of these sessions that `reference` names: by its id, its native id, or the beginning of its id. */
export function oneSession<T extends Named>(reference: string, sessions: readonly T[], missing: () => IonError): T {
  const exact = sessions.filter(({ id, native_id }) => id === reference || native_id === reference)
  const begins = reference.length >= MIN_PREFIX && exact.length === 0
  const found = begins ? sessions.filter(({ id }) => id.startsWith(reference)) : exact
  if (found.length === 0) throw missing()
  if (found.length === 1) return found[0]!
  throw new IonError('usage', `"${reference}" matches ${found.length} sessions`, {
    hint: ['give more of the id:', ...found.slice(0, 5).map(({ id }) => id)].join('\n     '),
  })
}
