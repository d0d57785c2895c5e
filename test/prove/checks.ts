import { isDeepStrictEqual } from 'node:util'
import type { Entry, Log } from '../model/log.ts'

export interface Result {
  ok: boolean
  why?: string
  /** Under which conditions, where they are not always the same. */
  note?: string
  seconds: number
}

/**
 * The outcome of each scenario; a failed one does not end the story. A scenario in which the stub model refused a request, as
 * the real provider would, has failed whatever else happened.
 */
export class Checks {
  results: Record<string, Result> = {}
  private readonly logs: Log[] = []
  private readonly reported = new Set<Entry>()

  /** From now on, requests that this model refuses are failures. */
  watch(log: Log): void {
    this.logs.push(log)
  }

  /**
   * `rejects` are names of rules that the requests of the scenario must break, each at least once, and no others. `turnsOnly`:
   * what the agent asks beside the conversation may break any. `note`: under which conditions it ran.
   */
  async that(
    scenario: string,
    body: () => Promise<void> | void,
    { rejects = [], turnsOnly = false, note }: { rejects?: string[]; turnsOnly?: boolean; note?: string } = {},
  ) {
    const begin = Date.now()
    const noted = note === undefined ? {} : { note }
    const seconds = () => Math.round((Date.now() - begin) / 100) / 10
    const before = new Set(this.rejections())
    let why = ''
    try {
      await body()
    } catch (error) {
      why = (error as Error).message
    }
    const rejected = this.rejections().filter((entry) => !before.has(entry))
    for (const entry of rejected) this.reported.add(entry)
    const counted = rejected.filter(({ kind }) => kind === 'turn' || !turnsOnly)
    const unexpected = counted.filter((entry) => !rejects.includes(entry.rejected?.rule ?? ''))
    const missing = rejects.filter((rule) => !rejected.some((entry) => entry.rejected?.rule === rule))
    const reasons = [...unexpected.map(refused), ...missing.map((rule) => `nothing broke the rule "${rule}"`), why]
    const reason = reasons.filter(Boolean).join('\n')
    this.results[scenario] = { ok: !reason, ...(reason ? { why: reason } : {}), ...noted, seconds: seconds() }
  }

  /** What was refused outside of all scenarios. */
  unreported(): string[] {
    return this.rejections()
      .filter((entry) => !this.reported.has(entry))
      .map(refused)
  }

  private rejections(): Entry[] {
    return this.logs.flatMap((log) => log.rejections())
  }
}

/** For a message: the rule, the place, and what the provider says. */
export function refused({ n, protocol, rejected }: Entry): string {
  const { rule, place, message = '' } = rejected ?? {}
  return `the model refused request ${n} (${protocol}), rule "${rule}", at ${place}: ${message.trim()}`
}

export function equal(what: string, actual: unknown, expected: unknown) {
  if (isDeepStrictEqual(actual, expected)) return
  throw new Error(`${what}: ${short(actual)} instead of ${short(expected)}`)
}

export function holds(what: string, condition: boolean, seen?: unknown) {
  if (!condition) throw new Error(seen === undefined ? what : `${what}: ${short(seen)}`)
}

function short(value: unknown) {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined')
  return text.length > 600 ? `${text.slice(0, 600)}…` : text
}
