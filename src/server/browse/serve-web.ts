import { IonError } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { isHolder, takeLease } from '../../platform/lease.ts'
import { listen } from '../listen.ts'
import { loadToken } from '../token.ts'
import { OneTimeLinks } from './access.ts'
import { type BrowseOptions, browseApp } from './app.ts'
import { registerWeb, secretFile, unregisterWeb, webHome } from './registry.ts'
import { SessionIndex } from './session-index.ts'

type Kept = 'io' | 'port' | 'readOnly' | 'webFolder' | 'workerFile' | 'program' | 'version' | 'usage' | 'sessionUsage'

export interface ServeWebOptions extends Pick<BrowseOptions, Kept> {
  /** If the port is taken, the next free one is used. */
  readonly mayMove: boolean
  readonly onTrouble: (line: string) => void
}

export interface RunningWeb {
  readonly port: number
  /** Without a trailing slash. */
  readonly url: string
  /** A token for the next link. */
  link(): string
  close(): Promise<void>
}

/** Reachable from this machine only: whoever needs it on another one forwards the port. */
const HOST = '127.0.0.1'
const ALLOWED_HOSTS = ['localhost', '127.0.0.1', '[::1]']

/** Serves the page over all sessions until closed. Throws `refused` if another process does. */
export async function serveWeb(options: ServeWebOptions): Promise<RunningWeb> {
  const { io } = options
  const lease = takeLease(webHome(io), { since: io.now().toISOString() })
  if (isHolder(lease))
    throw new IonError('refused', `ion web is already running (pid ${lease.pid})`, { hint: 'ion web --stop' })
  let index: SessionIndex | undefined
  try {
    index = new SessionIndex(io, options.onTrouble)
    const opened = index
    void opened.refresh()
    const links = new OneTimeLinks()
    const { token: secret } = loadToken(secretFile(io))
    const listening = await listen(HOST, options.port, options.mayMove, (port) =>
      browseApp({ ...options, index: opened, links, secret, port, allowedHosts: ALLOWED_HOSTS }),
    )
    const { port } = listening
    const url = `http://${HOST}:${port}`
    registerWeb({ host: HOST, port, url, read_only: options.readOnly, started_at: io.now().toISOString() }, io)
    return {
      port,
      url,
      link: () => links.issue(),
      async close() {
        unregisterWeb(io)
        await listening.close()
        opened.close()
        lease.release()
      },
    }
  } catch (error) {
    index?.close()
    lease.release()
    throw error
  }
}

const LINK_MS = 5000

/** The token of a new link to a server that another process of the user runs. */
export async function requestLink(url: string, io: Io): Promise<string> {
  const { token: secret } = loadToken(secretFile(io))
  try {
    const response = await fetch(`${url}/api/links`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}` },
      signal: AbortSignal.timeout(LINK_MS),
    })
    const { token } = (await response.json()) as { token?: unknown }
    if (typeof token === 'string') return token
  } catch (error) {
    throw new IonError('failed', `ion web at ${url} does not answer`, {
      hint: 'ion web --stop, then ion web',
      cause: error,
    })
  }
  throw new IonError('failed', `ion web at ${url} gives no link`, { hint: 'ion web --stop, then ion web' })
}
