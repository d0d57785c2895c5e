import { type CallEvent, callIdentity, hasUsage } from '../../events/model-call.ts'
import type { SessionHead } from '../../events/session.ts'
import { hash53 } from '../../platform/hash.ts'
import type { Database, Statement } from '../../platform/sqlite.ts'

/** The model calls that were read from a session. */
export interface FoundCalls {
  readonly events: readonly CallEvent[]
  /** They come after those that are known; otherwise they replace them. */
  readonly isMore: boolean
}

/** Writes and deletes the model calls of sessions. Statements are prepared once. */
export class CallStore {
  readonly #put: Statement
  readonly #touch: Statement
  readonly #release: Statement
  readonly #delete: Statement
  readonly #putModel: Statement
  readonly #modelId: Statement
  readonly #models = new Map<string, number>()

  constructor(database: Database) {
    this.#put = database.prepare(
      `INSERT OR REPLACE INTO model_call(session, identity, event, at, model, input, output, cache_read, cache_write,
         cache_write_1h, reasoning, tier, cost, is_sum, repeats) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`,
    )
    this.#touch = database.prepare('INSERT OR IGNORE INTO unsettled_session VALUES (?)')
    this.#release = database.prepare(
      'INSERT OR IGNORE INTO unsettled_call SELECT identity FROM model_call WHERE session = ?',
    )
    this.#delete = database.prepare('DELETE FROM model_call WHERE session = ?')
    this.#putModel = database.prepare('INSERT OR IGNORE INTO model(name) VALUES (?)')
    this.#modelId = database.prepare('SELECT id FROM model WHERE name = ?')
  }

  /** `session` is the key of the session; `isNew` that it had no calls before. */
  put(session: number, head: Pick<SessionHead, 'id' | 'agent'>, { events, isMore }: FoundCalls, isNew: boolean): void {
    if (!isNew && !isMore) this.delete(session)
    let any = false
    for (const event of events) {
      if (!hasUsage(event)) continue
      const { token_usage: usage, call = {} } = event
      this.#put.run(
        session,
        hash53(callIdentity(head.agent, head.id, event)),
        hash53(event.id),
        Date.parse(event.timestamp),
        event.model ? this.#model(event.model) : null,
        usage.input,
        usage.output,
        usage.cache_read,
        usage.cache_write,
        usage.cache_write_1h ?? 0,
        usage.reasoning,
        call.tier ?? null,
        call.cost ?? null,
        call.is_sum ? 1 : null,
      )
      any = true
    }
    if (any) this.#touch.run(session)
  }

  delete(session: number): void {
    this.#release.run(session)
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
