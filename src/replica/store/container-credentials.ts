import { readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { parsedObject } from '../../native/narrow.ts'
import { attempt, IonError, messageOf } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { plain } from '../../platform/plain-text.ts'
import { StoreError } from './object-store.ts'
import type { Credentials } from './s3-signature.ts'

/** Where a container gets temporary credentials: Amazon's ECS and EKS Pod Identity, and what offers the same. */
export interface CredentialEndpoint {
  readonly url: URL
  /** Read again each time: it is replaced while we run. */
  readonly tokenFile: string | undefined
  readonly token: string | undefined
}

/** Of ECS and EKS, as Amazon's own tools have them. */
const AMAZON = ['169.254.170.2', '169.254.170.23', '[fd00:ec2::23]']
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

const FULL = 'AWS_CONTAINER_CREDENTIALS_FULL_URI'
const RELATIVE = 'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'

/** By the same variables as in Amazon's tools; undefined if none is set. Throws IonError. */
export function credentialEndpoint(env: Io['env']): CredentialEndpoint | undefined {
  const [relative, full] = [env[RELATIVE], env[FULL]]
  if (!relative && !full) return undefined
  const url = attempt(() => (relative ? new URL(relative, `http://${AMAZON[0]}`) : new URL(full!)))
  const isPlain = url?.protocol === 'http:' && (LOOPBACK.test(url.hostname) || AMAZON.includes(url.hostname))
  const isOwn = !relative || url?.hostname === AMAZON[0]
  if (!url || !isOwn || !(isPlain || url.protocol === 'https:')) {
    throw new IonError('usage', `${relative ? RELATIVE : FULL} is not an address that may give credentials`, {
      hint: 'https://…, or http:// on this machine or on the addresses of ECS and EKS',
    })
  }
  return {
    url,
    tokenFile: env.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE || undefined,
    token: env.AWS_CONTAINER_AUTHORIZATION_TOKEN || undefined,
  }
}

/** Before they expire by so much, new ones are fetched. */
const EARLY_MS = 5 * 60_000
const DEADLINE_MS = 5000
const MAX_ANSWER = 64 * 1024

/** Temporary credentials, renewed before they expire. */
export class ContainerCredentials {
  readonly #endpoint: CredentialEndpoint
  readonly #now: () => Date
  #known: { readonly credentials: Credentials; readonly until: number } | undefined
  #asking: Promise<Credentials> | undefined

  constructor(endpoint: CredentialEndpoint, now: () => Date) {
    this.#endpoint = endpoint
    this.#now = now
  }

  /** Throws StoreError. */
  async get(): Promise<Credentials> {
    if (this.#known && this.#now().getTime() < this.#known.until) return this.#known.credentials
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  /** They were refused: whether there are others now. False also if they cannot be had. */
  async renew(): Promise<boolean> {
    const before = this.#known?.credentials
    this.#known = undefined
    const now = await this.get().catch(() => before)
    return JSON.stringify(now) !== JSON.stringify(before)
  }

  async #ask(): Promise<Credentials> {
    const { status, text } = await this.#exchange().catch((error: unknown) => {
      if (error instanceof StoreError) throw error
      throw this.#failed(plain(messageOf(error)), 'unreachable')
    })
    const { AccessKeyId, SecretAccessKey, Token, Expiration, message, Message } = parsedObject(text) ?? {}
    if (status !== 200) {
      const said = [message, Message].find((one) => typeof one === 'string')
      throw this.#failed(plain(said ?? `HTTP ${status}`).slice(0, 200), status >= 500 ? 'unreachable' : 'denied')
    }
    if (typeof AccessKeyId !== 'string' || typeof SecretAccessKey !== 'string') {
      throw this.#failed('its answer has no keys', 'denied')
    }
    const credentials = {
      accessKeyId: AccessKeyId,
      secretAccessKey: SecretAccessKey,
      ...(typeof Token === 'string' && { sessionToken: Token }),
    }
    const expires = Date.parse(String(Expiration))
    // Without a time they are those of a process, and stay.
    this.#known = { credentials, until: Number.isNaN(expires) ? Number.POSITIVE_INFINITY : expires - EARLY_MS }
    return credentials
  }

  #exchange(): Promise<{ readonly status: number; readonly text: string }> {
    const { url } = this.#endpoint
    const authorization = this.#token()
    return new Promise((resolve, reject) => {
      const request = (url.protocol === 'https:' ? https : http).get(
        url,
        { headers: { accept: 'application/json', ...(authorization !== undefined && { authorization }) } },
        (response) => {
          const parts: Buffer[] = []
          let size = 0
          response.on('data', (part: Buffer) => {
            size += part.length
            if (size > MAX_ANSWER) request.destroy(new Error('its answer is too long'))
            else parts.push(part)
          })
          response.on('error', reject)
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString('utf8') }),
          )
        },
      )
      request.setTimeout(DEADLINE_MS, () => request.destroy(new Error(`no answer within ${DEADLINE_MS / 1000} s`)))
      request.on('error', reject)
    })
  }

  /** Never part of a message. */
  #token(): string | undefined {
    const { tokenFile, token } = this.#endpoint
    let text = token
    try {
      if (tokenFile !== undefined) text = readFileSync(tokenFile, 'utf8')
    } catch (error) {
      throw this.#failed(`its token cannot be read: ${messageOf(error)}`, 'denied')
    }
    if (text !== undefined && /[\r\n]/.test(text.trim())) throw this.#failed('its token has several lines', 'denied')
    return text?.trim()
  }

  #failed(why: string, kind: 'denied' | 'unreachable'): StoreError {
    return new StoreError(kind, `cannot get credentials from ${this.#endpoint.url.origin}: ${why}`, {
      isTemporary: kind === 'unreachable',
      hint: `check ${FULL} or ${RELATIVE}, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`,
    })
  }
}
