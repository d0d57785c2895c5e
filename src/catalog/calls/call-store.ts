import { type CallEvent, callIdentity, isCounted } from '../../events/model-call.ts'
import type { SessionHead } from '../../events/session.ts'
import { hash53 } from '../../platform/hash.ts'
import type { Database, Statement } from '../../platform/sqlite.ts'
import { packCalls } from './packed-calls.ts'

/** The model calls that were read from a session. */
export interface FoundCalls {
  readonly events: readonly CallEvent[]
  /** They come after those that are known; otherwise they replace them. */
  readonly isMore: boolean
}

/** Whole numbers below it need no memory of their own. */
const SMALL = 2 ** 31

/** Writes and deletes the model calls of sessions. Statements are prepared once. */
export class CallStore {
  readonly #put: Statement
  readonly #delete: Statement
  readonly #putModel: Statement
  readonly #modelId: Statement
  readonly #models = new Map<string, number>()

  constructor(database: Database) {
    this.#put = database.prepare('INSERT INTO session_calls(session, calls) VALUES (?, ?)')
    this.#delete = database.prepare('DELETE FROM session_calls WHERE session = ?')
    this.#putModel = database.prepare('INSERT OR IGNORE INTO model(name) VALUES (?)')
    this.#modelId = database.prepare('SELECT id FROM model WHERE name = ?')
  }

  /** `session` is the key of the session; `isNew` that it had no calls before. */
  put(session: number, head: Pick<SessionHead, 'id' | 'agent'>, { events, isMore }: FoundCalls, isNew: boolean): void {
    if (!isNew && !isMore) this.delete(session)
    const calls = events.filter(isCounted).map((event) => {
      const { token_usage: usage, call = {} } = event
      return {
        identity: hash53(callIdentity(head.agent, head.id, event)),
        event: hash53(event.id) % SMALL,
        at: Date.parse(event.timestamp),
        model: event.model ? this.#model(event.model) : 0,
        input: usage.input,
        output: usage.output,
        cache_read: usage.cache_read,
        cache_write: usage.cache_write,
        cache_write_1h: usage.cache_write_1h ?? 0,
        reasoning: usage.reasoning,
        tier: call.tier,
        cost: call.cost ?? null,
        is_sum: call.is_sum === true,
      }
    })
    if (calls.length > 0) this.#put.run(session, packCalls(calls))
  }

  delete(session: number): void {
    this.#delete.run(session)
  }

  #model(name: string): number {
    const known = this.#models.get(name)
    if (known !== undefined) return known
    this.#putModel.run(name)
    const { id } = this.#modelId.get(name) as { id: number }
    this.#models.set(name, id)
    return id
  }
}
