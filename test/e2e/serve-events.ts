import { request } from 'node:http'
import { onTestFinished } from 'vitest'

export interface SentEvent {
  readonly event: string
  readonly id: string
  readonly data: Record<string, unknown>
}

export interface EventSource {
  /** All that came so far. */
  readonly events: SentEvent[]
  close(): void
}

/** Reads server-sent events until it is closed, or the test is over. */
export function readEvents(url: string, headers: Record<string, string> = {}): EventSource {
  const events: SentEvent[] = []
  let rest = ''
  const asked = request(url, { headers, agent: false }, (response) => {
    response.setEncoding('utf8').on('data', (text: string) => {
      const blocks = `${rest}${text}`.split('\n\n')
      rest = blocks.pop()!
      for (const block of blocks) {
        const fields = new Map(block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line] as const))
        const value = (name: string): string => fields.get(name)?.slice(name.length + 2) ?? ''
        if (fields.has('data')) events.push({ event: value('event'), id: value('id'), data: JSON.parse(value('data')) })
      }
    })
    response.on('error', () => {})
  })
  asked.on('error', () => {}).end()
  const close = (): void => void asked.destroy()
  onTestFinished(close)
  return { events, close }
}
