import type { ClientRequest, IncomingMessage } from 'node:http'
import http from 'node:http'
import https from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'
import { ContainerCredentials } from './container-credentials.ts'
import { StoreError } from './object-store.ts'
import { answerError, connectionError, errorCode, type S3Answer, type S3Place } from './s3-errors.ts'
import type { S3Settings } from './s3-settings.ts'
import { type Credentials, encodePart, queryString, signedHeaders } from './s3-signature.ts'

export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'DELETE'
  /** Of an object; without it the request is about the bucket. */
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

/** How long a request may take and how often it is tried. */
export interface Patience {
  readonly attempts: number
  /** Before the second attempt; three times as long before each later one. */
  readonly firstWaitMs: number
  /** Of one attempt, without the time that its bytes may take. */
  readonly deadlineMs: number
}

const PATIENCE: Patience = { attempts: 4, firstWaitMs: 100, deadlineMs: 30_000 }

/** The slowest connection that is waited for. */
const BYTES_PER_MS = 32

const NO_BODY = new Uint8Array()

/** Sends signed requests to one bucket. */
export class S3Client {
  readonly usage = { requests: 0, bytesSent: 0, bytesReceived: 0 }
  readonly place: S3Place
  readonly #load: () => S3Settings
  readonly #region: string
  #credentials: Credentials | ContainerCredentials
  readonly #patience: Patience
  readonly #now: () => Date
  readonly #base: URL
  readonly #agent: http.Agent
  readonly #request: typeof http.request

  /** `load` is asked again when access is denied: temporary credentials in a file are replaced while we run. */
  constructor(bucket: string, address: string, load: () => S3Settings, now: () => Date, patience: Patience = PATIENCE) {
    const settings = load()
    const { endpoint, region } = settings
    this.#load = load
    this.#region = region
    this.#credentials = provided(settings, now)
    this.#patience = patience
    this.#now = now
    this.#base = bucketUrl(bucket, settings)
    this.place = { address, bucket, region, endpoint: endpoint ? endpoint.href.replace(/\/$/, '') : '' }
    const library = this.#base.protocol === 'https:' ? https : http
    // Requests follow each other, and opening a connection takes longer than most of them.
    this.#agent = new library.Agent({ keepAlive: true })
    this.#request = library.request
  }

  /**
   * The answer of a success, of `NoSuchKey` (404) and of a condition that does not hold (412); any other is thrown as
   * StoreError. `isRepeated`: an earlier attempt got no answer and may have had its effect.
   */
  async send(request: S3Request): Promise<S3Answer & { readonly isRepeated: boolean }> {
    const { attempts, firstWaitMs } = this.#patience
    for (let attempt = 1; ; attempt++) {
      try {
        return { ...(await this.#attempt(request)), isRepeated: attempt > 1 }
      } catch (error) {
        if (!(error instanceof StoreError) || attempt >= attempts) throw error
        if (error.kind === 'denied' && (await this.#hasNewCredentials())) continue
        if (!error.isTemporary) throw error
        // Not at the same instant as the others that it was too much for.
        await wait(firstWaitMs * 3 ** (attempt - 1) * (0.5 + Math.random() / 2))
      }
    }
  }

  async #hasNewCredentials(): Promise<boolean> {
    const before = this.#credentials
    if (before instanceof ContainerCredentials) return before.renew()
    this.#credentials = provided(this.#load(), this.#now)
    return JSON.stringify(this.#credentials) !== JSON.stringify(before)
  }

  async #attempt(request: S3Request): Promise<S3Answer> {
    const deadlineMs = this.#patience.deadlineMs + Math.ceil((request.body?.length ?? 0) / BYTES_PER_MS)
    const source = this.#credentials
    const credentials = source instanceof ContainerCredentials ? await source.get() : source
    const answer = await this.#exchange(request, credentials, deadlineMs).catch((error: unknown) => {
      throw connectionError(error, this.place, deadlineMs)
    })
    const { status } = answer
    if ((status >= 200 && status < 300) || status === 412) return answer
    // Other answers of 404 may come from something that is not S3 at all, where objects only seem to be missing.
    if (status === 404 && errorCode(answer) === 'NoSuchKey') return answer
    throw answerError(answer, this.place, this.#now())
  }

  #exchange(request: S3Request, credentials: Credentials, deadlineMs: number): Promise<S3Answer> {
    const { method, key, query = {}, headers = {}, body = NO_BODY } = request
    const path =
      key === undefined ? this.#base.pathname : `${this.#base.pathname}${key.split('/').map(encodePart).join('/')}`
    const signed = signedHeaders(
      { method, host: this.#base.host, path, query, headers, body },
      credentials,
      this.#region,
      this.#now(),
    )
    const search = queryString(query)
    this.usage.requests++
    this.usage.bytesSent += body.length
    return new Promise((resolve, reject) => {
      // It counts the complete exchange: a server that sends a byte now and then is not waited for either.
      const deadline = setTimeout(() => sent.destroy(new DOMException('no answer in time', 'TimeoutError')), deadlineMs)
      const fail = (error: unknown): void => {
        clearTimeout(deadline)
        reject(error)
      }
      const sent: ClientRequest = this.#request(
        {
          agent: this.#agent,
          protocol: this.#base.protocol,
          hostname: this.#base.hostname.replace(/^\[|\]$/g, ''),
          port: this.#base.port,
          path: search ? `${path}?${search}` : path,
          method,
          headers: { ...signed, 'content-length': body.length },
        },
        (response: IncomingMessage) => {
          const parts: Buffer[] = []
          response.on('data', (part: Buffer) => {
            this.usage.bytesReceived += part.length
            parts.push(part)
          })
          response.on('error', fail)
          response.on('close', () => {
            if (!response.complete)
              return fail(sent.errored ?? new Error('the connection was closed within the answer'))
            clearTimeout(deadline)
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) })
          })
        },
      )
      sent.on('error', fail)
      sent.end(body)
    })
  }
}

function provided({ credentials }: S3Settings, now: () => Date): Credentials | ContainerCredentials {
  return 'url' in credentials ? new ContainerCredentials(credentials, now) : credentials
}

/** Ends in a slash. Servers other than Amazon's rarely have a name for each bucket, and one with dots has no certificate. */
export function bucketUrl(bucket: string, { endpoint, region }: Pick<S3Settings, 'endpoint' | 'region'>): URL {
  if (endpoint) return new URL(`${endpoint.pathname.replace(/\/$/, '')}/${bucket}/`, endpoint)
  const host = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
  return new URL(bucket.includes('.') ? `https://${host}/${bucket}/` : `https://${bucket}.${host}/`)
}
