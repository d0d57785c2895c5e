import { eventReader, type StreamEvent } from './event-stream.ts'
import { Refused, refusal } from './refused.ts'

export type Connection =
  | { readonly state: 'connecting' }
  | { readonly state: 'open' }
  | { readonly state: 'lost'; readonly retryAt: number; readonly why: string }
  /** The server requires the token; a retry would not help. */
  | { readonly state: 'refused'; readonly why: string }

export interface Follower {
  /** Called at each attempt: what was received so far decides where to continue. */
  readonly url: () => string | Promise<string>
  readonly onEvents: (events: readonly StreamEvent[]) => void
  readonly onConnection: (connection: Connection) => void
}

/** The server sends a heartbeat every 15 seconds; three missed ones mean a dead connection. */
const SILENCE_MS = 50_000
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 10_000

/**
 * Follows an event stream until `close`, and reconnects with `Last-Event-ID` when it breaks. Not the browser's
 * EventSource, which gives up at an error response, cannot be told to retry now, and does not say when it will.
 */
export function follow({ url, onEvents, onConnection }: Follower): {
  readonly close: () => void
  readonly retry: () => void
} {
  let lastId = ''
  let failures = 0
  const closing = new AbortController()
  let attempt = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined

  const run = async (): Promise<void> => {
    timer = undefined
    attempt = new AbortController()
    const { signal } = attempt
    try {
      const headers: Record<string, string> = { accept: 'text/event-stream' }
      if (lastId !== '') headers['last-event-id'] = lastId
      const response = await fetch(await url(), { headers, signal, cache: 'no-store' })
      if (!response.ok || !response.body) throw await refusal(response)
      failures = 0
      onConnection({ state: 'open' })
      await readAll(response.body)
      throw new Error('The server closed the connection.')
    } catch (error) {
      if (!closing.signal.aborted && attempt.signal === signal) lost(error)
    }
  }

  const readAll = async (body: ReadableStream<Uint8Array>): Promise<void> => {
    const read = eventReader()
    const text = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
    const { signal } = attempt
    let silence: ReturnType<typeof setTimeout> | undefined
    try {
      for (;;) {
        silence = setTimeout(() => text.cancel(), SILENCE_MS)
        const { done, value } = await text.read()
        clearTimeout(silence)
        if (done || signal.aborted) return
        const events = read(value)
        lastId = events.at(-1)?.id ?? lastId
        if (events.length > 0) onEvents(events)
      }
    } finally {
      clearTimeout(silence)
    }
  }

  const lost = (error: unknown): void => {
    const why = error instanceof Refused ? error.message : 'The connection is lost.'
    if (error instanceof Refused && error.needsToken) {
      onConnection({ state: 'refused', why })
      return
    }
    const wait = Math.min(FIRST_WAIT_MS * 2 ** failures++, LONGEST_WAIT_MS)
    onConnection({ state: 'lost', retryAt: Date.now() + wait, why })
    timer = setTimeout(run, wait)
  }

  const retry = (): void => {
    if (timer === undefined || closing.signal.aborted) return
    clearTimeout(timer)
    onConnection({ state: 'connecting' })
    run()
  }
  /** A laptop that wakes up or a tab that becomes visible should not wait. */
  const awake = (): void => {
    if (document.visibilityState === 'visible') retry()
  }
  addEventListener('online', awake, { signal: closing.signal })
  document.addEventListener('visibilitychange', awake, { signal: closing.signal })

  onConnection({ state: 'connecting' })
  run()
  return {
    retry,
    close: () => {
      closing.abort()
      clearTimeout(timer)
      attempt.abort()
    },
  }
}
