/** A session that a user has marked. */
export interface MarkedSession {
  readonly id: string
  readonly agent: string
}

/** A change that a user made. A name or note of null removes it. An origin is `<agent> <id>` of the session it was made from. */
export type Change =
  | { readonly op: 'name' | 'note' | 'origin'; readonly value: string | null }
  | { readonly op: 'tag' | 'untag'; readonly value: string }
  | { readonly op: 'pin' | 'unpin' }

/** A change of a session, as one line of the file has it. */
export type Operation = MarkedSession & Change & { readonly at: string }

/** A line as it was read. What a newer version of Ion wrote is kept as it is and has no effect. */
export interface OperationRecord extends MarkedSession {
  readonly at: string
  readonly op: string
  readonly value?: unknown
}

/** Of one width, so that they can be compared as texts. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Undefined for anything that Ion does not write. */
export function parseOperation(line: string): OperationRecord | undefined {
  try {
    return operationOf(JSON.parse(line))
  } catch {
    return undefined
  }
}

export function operationOf(value: unknown): OperationRecord | undefined {
  const record = Object(value) as Record<string, unknown>
  const { at, agent, id, op } = record
  const isRecord = [at, agent, id, op].every((field) => typeof field === 'string')
  if (!isRecord || !TIME.test(at as string) || Number.isNaN(Date.parse(at as string))) return undefined
  return isValid(op as string, record.value) ? (record as unknown as OperationRecord) : undefined
}

function isValid(op: string, value: unknown): boolean {
  if (op === 'name' || op === 'note' || op === 'origin') return value === null || typeof value === 'string'
  if (op === 'tag' || op === 'untag') return typeof value === 'string'
  return true
}

export function isKnown(operation: OperationRecord): operation is Operation {
  return KNOWN.includes(operation.op)
}

const KNOWN: readonly string[] = ['name', 'note', 'origin', 'tag', 'untag', 'pin', 'unpin'] satisfies Change['op'][]
