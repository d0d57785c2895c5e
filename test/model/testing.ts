// Shared by the stub model's tests: requests over HTTP, and the log without what differs between runs.
import { onTestFinished } from 'vitest'
import type { Message, Role } from './history.ts'
import type { Entry } from './log.ts'
import { type Model, type ModelOptions, startModel } from './server.ts'

/** A model with predictable ids, closed when the test ends. */
export async function scratchModel(options?: ModelOptions): Promise<Model> {
  const model = await startModel({ seed: 'x', ...options })
  onTestFinished(() => model.close())
  return model
}

export function post(model: { url: string }, path: string, body: object, init?: RequestInit): Promise<Response> {
  return fetch(model.url + path, { method: 'POST', body: JSON.stringify(body), ...init })
}

/** Every `data:` of a stream of events, parsed. */
export async function streamed(response: Response): Promise<unknown[]> {
  const text = await response.text()
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => (data === '[DONE]' ? data : JSON.parse(data)))
}

export function logged(model: Model): Omit<Entry, 'at'>[] {
  return model.log.entries.map(({ at, ...entry }) => entry)
}

/** A message of the log. */
export function message(role: Role, text: string, more?: Partial<Message>): Message {
  return { role, text, calls: [], results: [], ...more }
}

/** The body of a response, in the shape that the test expects. */
export async function jsonOf<T>(response: Response | Promise<Response>): Promise<T> {
  return (await (await response).json()) as T
}

/** The messages of an AWS event stream: kind and payload. */
export function decodeEvents(stream: Buffer): [kind: string, payload: unknown][] {
  const events: [string, unknown][] = []
  for (let at = 0; at < stream.length; at += stream.readUInt32BE(at)) {
    const message = stream.subarray(at, at + stream.readUInt32BE(at))
    const payloadAt = 12 + message.readUInt32BE(4)
    const kind = /:event-type\x07.{2}([A-Za-z]+)/s.exec(message.subarray(12, payloadAt).toString('latin1'))?.[1]
    events.push([kind ?? '', JSON.parse(message.subarray(payloadAt, -4).toString())])
  }
  return events
}
