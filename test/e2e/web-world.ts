import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Io } from '../../src/platform/io.ts'
import { OneTimeLinks } from '../../src/server/browse/access.ts'
import { type BrowseOptions, browseApp } from '../../src/server/browse/app.ts'
import type { ChangeEvent } from '../../src/server/browse/contract.ts'
import { SessionIndex } from '../../src/server/browse/session-index.ts'
import { listen } from '../../src/server/listen.ts'
import { builtFolder } from '../support/built.ts'

const SECRET = 'a-secret-of-a-test-server'

export interface WebServer {
  readonly url: string
  readonly port: number
  readonly index: SessionIndex
  readonly links: OneTimeLinks
  readonly auth: Readonly<Record<string, string>>
  get(path: string, headers?: Record<string, string>): Promise<Response>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>
  json<T>(path: string): Promise<T>
  /** Server-sent events until the test ends; resolves when the server has begun. */
  changes(session?: string): Promise<{ readonly events: ChangeEvent[]; readonly text: () => string }>
}

/** The server of `ion web` in this process, with every session of the home in the index. */
export async function webServer(io: Io, options: Partial<BrowseOptions> = {}): Promise<WebServer> {
  const index = new SessionIndex(io)
  await index.refresh({ extent: 'full' })
  const links = new OneTimeLinks()
  const dist = builtFolder()
  const listening = await listen('127.0.0.1', 0, false, (port) =>
    browseApp({
      io,
      index,
      links,
      port,
      secret: SECRET,
      readOnly: false,
      allowedHosts: ['localhost', '127.0.0.1', '[::1]'],
      webFolder: join(dist, 'web'),
      workerFile: join(dist, 'document-worker.mjs'),
      program: join(dist, 'ion.cjs'),
      version: '0.0.0',
      ...options,
    }),
  )
  const stopped = new AbortController()
  onTestFinished(async () => {
    stopped.abort()
    await listening.close()
    index.close()
  })
  const url = `http://127.0.0.1:${listening.port}`
  const auth = { authorization: `Bearer ${SECRET}` }
  const get = (path: string, headers: Record<string, string> = auth): Promise<Response> =>
    fetch(`${url}${path}`, { headers, redirect: 'manual' })
  return {
    url,
    port: listening.port,
    index,
    links,
    auth,
    get,
    post: (path, body, headers = {}) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { ...auth, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    json: async <T>(path: string) => (await (await get(path)).json()) as T,
    async changes(session) {
      const query = session === undefined ? '' : `?session=${session}`
      const response = await fetch(`${url}/api/changes${query}`, { headers: auth, signal: stopped.signal })
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
      const events: ChangeEvent[] = []
      let text = ''
      const read = async (): Promise<boolean> => {
        const { done, value = '' } = await reader.read()
        text += value
        const found = value.split('\n').filter((line) => line.startsWith('data: '))
        events.push(...found.map((line) => JSON.parse(line.slice('data: '.length)) as ChangeEvent))
        return !done
      }
      while (!text.includes(': ready\n') && (await read()));
      const follow = async (): Promise<void> => {
        while (await read());
      }
      follow().catch(() => {})
      return { events, text: () => text }
    },
  }
}
