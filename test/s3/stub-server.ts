// An S3 server in memory, for tests: puts with conditions, lists in pages, errors as S3 words them, and faults on request.
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { signedHeaders } from '../../src/replica/store/s3-signature.ts'

export const STUB_BUCKET = 'bucket'
const ACCESS_KEY = 'stub-key'
const SECRET_KEY = 'stub/secret+key'
const MAX_KEYS = 1000
const MAX_SKEW_MS = 15 * 60_000

/** What happens to one request instead of, or after, what it asks for. */
export type Fault =
  | {
      readonly answer: number
      readonly code?: string
      readonly headers?: Record<string, string>
      readonly body?: string
    }
  | 'hang'
  | 'reset before'
  | 'reset after'
  | 'cut the answer'

interface Stored {
  readonly bytes: Buffer
  readonly etag: string
  readonly modified: number
}

export interface StubServer {
  readonly endpoint: string
  /** The variables with which it is used. */
  readonly env: Record<string, string>
  /** `PUT bucket/key`, in the order of arrival. */
  readonly requests: string[]
  /** Each is used for the next request whose method and path it matches. */
  readonly faults: { readonly on: RegExp; readonly fault: Fault }[]
  readonly objects: Map<string, Stored>
  /** How far the server's clock is ahead of ours. */
  clockMs: number
  /** Bytes of all objects. */
  quota: number
  ignoresConditions: boolean
  /** Called for each request, before and after its effect. */
  onRequest: (line: string, when: 'before' | 'after') => void
}

/** Ends with the test. */
export async function startStub(): Promise<StubServer> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => close(server))
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const stub: StubServer = {
    endpoint,
    env: { AWS_ACCESS_KEY_ID: ACCESS_KEY, AWS_SECRET_ACCESS_KEY: SECRET_KEY, AWS_ENDPOINT_URL_S3: endpoint },
    requests: [],
    faults: [],
    objects: new Map(),
    clockMs: 0,
    quota: Number.POSITIVE_INFINITY,
    ignoresConditions: false,
    onRequest: () => {},
  }
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => handle(stub, request, Buffer.concat(parts), response))
  })
  return stub
}

function close(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => void server.close(() => resolve()))
}

interface Answer {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body?: string | Buffer
}

function handle(stub: StubServer, request: IncomingMessage, body: Buffer, response: ServerResponse): void {
  const url = new URL(request.url!, stub.endpoint)
  const path = decodeURIComponent(url.pathname.slice(1))
  const line = `${request.method} ${path}`
  stub.requests.push(line)
  stub.onRequest(line, 'before')
  const at = stub.faults.findIndex(({ on }) => on.test(line))
  const fault = at < 0 ? undefined : stub.faults.splice(at, 1)[0]!.fault
  if (fault === 'hang') return
  if (fault === 'reset before') return void request.socket.destroy()
  const answer =
    typeof fault === 'object'
      ? faultAnswer(fault)
      : (refusal(stub, request, url, body) ?? perform(stub, request, path, url.searchParams, body))
  stub.onRequest(line, 'after')
  if (fault === 'reset after') return void request.socket.destroy()
  const content = Buffer.from(answer.body ?? '')
  response.writeHead(answer.status, {
    date: new Date(now(stub)).toUTCString(),
    'content-length': String(content.length + (fault === 'cut the answer' ? 10 : 0)),
    ...answer.headers,
  })
  if (fault !== 'cut the answer') return void response.end(content)
  response.write(content, () => request.socket.destroy())
}

function faultAnswer({ answer, code, headers = {}, body }: Exclude<Fault, string>): Answer {
  return { ...failure(answer, code ?? ''), headers, ...((body !== undefined || !code) && { body: body ?? '' }) }
}

function now(stub: StubServer): number {
  return Date.now() + stub.clockMs
}

/** Of a request that is not signed as it must be. */
function refusal(stub: StubServer, request: IncomingMessage, url: URL, body: Buffer): Answer | undefined {
  const {
    authorization = '',
    'x-amz-date': date = '',
    'x-amz-security-token': token,
  } = request.headers as Record<string, string | undefined>
  const [, key, region, names = ''] =
    /Credential=([^/]+)\/\d+\/([^/]+)\/.*SignedHeaders=([^,]+)/.exec(authorization) ?? []
  if (key !== ACCESS_KEY) return failure(403, 'InvalidAccessKeyId', 'The access key is not known.')
  const time = new Date(date.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'))
  const own = ['host', 'x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token']
  const expected = signedHeaders(
    {
      method: request.method!,
      host: request.headers.host!,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: Object.fromEntries(
        names
          .split(';')
          .filter((name) => !own.includes(name))
          .map((name) => [name, String(request.headers[name])]),
      ),
      body,
    },
    { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY, sessionToken: token },
    region!,
    time,
  )
  if (expected.authorization !== authorization) return failure(403, 'SignatureDoesNotMatch', 'The signature is wrong.')
  return Math.abs(time.getTime() - now(stub)) > MAX_SKEW_MS ? failure(403, 'RequestTimeTooSkewed') : undefined
}

function perform(
  stub: StubServer,
  request: IncomingMessage,
  path: string,
  query: URLSearchParams,
  body: Buffer,
): Answer {
  const [bucket = '', ...rest] = path.split('/')
  const key = rest.join('/')
  if (bucket !== STUB_BUCKET) return failure(404, 'NoSuchBucket')
  const found = stub.objects.get(key)
  if (request.method === 'DELETE') {
    stub.objects.delete(key)
    return { status: 204 }
  }
  if (request.method === 'PUT') return put(stub, key, found, body, request.headers as Record<string, string>)
  if (key === '') return list(stub, query)
  if (!found) return failure(404, 'NoSuchKey')
  return {
    status: 200,
    headers: { etag: found.etag, 'last-modified': new Date(found.modified).toUTCString() },
    body: found.bytes,
  }
}

function put(
  stub: StubServer,
  key: string,
  found: Stored | undefined,
  bytes: Buffer,
  headers: Record<string, string>,
): Answer {
  if (!stub.ignoresConditions) {
    const { 'if-match': match, 'if-none-match': none } = headers
    if (none === '*' && found) return failure(412, 'PreconditionFailed')
    if (match !== undefined && !found) return failure(404, 'NoSuchKey')
    if (match !== undefined && found?.etag !== match) return failure(412, 'PreconditionFailed')
  }
  const used = [...stub.objects.values()].reduce((sum, one) => sum + one.bytes.length, 0)
  if (used + bytes.length > stub.quota) return failure(403, 'QuotaExceeded')
  const etag = `"${createHash('md5').update(bytes).digest('hex')}"`
  stub.objects.set(key, { bytes, etag, modified: now(stub) })
  return { status: 200, headers: { etag } }
}

function list({ objects }: StubServer, query: URLSearchParams): Answer {
  const prefix = query.get('prefix') ?? ''
  const delimiter = query.get('delimiter')
  const after = query.get('continuation-token') ?? query.get('start-after') ?? ''
  const entries = new Map<string, string>()
  for (const key of [...objects.keys()].sort()) {
    const end = delimiter ? key.indexOf(delimiter, prefix.length) : -1
    const name = end < 0 ? key : key.slice(0, end + 1)
    if (!key.startsWith(prefix) || name <= after) continue
    const { bytes, modified, etag } = objects.get(key)!
    entries.set(
      name,
      end < 0
        ? `<Contents><Key>${escaped(key)}</Key><LastModified>${new Date(modified).toISOString()}</LastModified><ETag>${escaped(etag)}</ETag><Size>${bytes.length}</Size></Contents>`
        : `<CommonPrefixes><Prefix>${escaped(name)}</Prefix></CommonPrefixes>`,
    )
  }
  const page = [...entries].slice(0, MAX_KEYS)
  const isCut = entries.size > page.length
  const next = isCut ? `<NextContinuationToken>${escaped(page.at(-1)![0])}</NextContinuationToken>` : ''
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${STUB_BUCKET}</Name><Prefix>${escaped(prefix)}</Prefix><IsTruncated>${isCut}</IsTruncated>${next}${page.map(([, xml]) => xml).join('')}</ListBucketResult>`
  return { status: 200, headers: { 'content-type': 'application/xml' }, body }
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

function failure(status: number, code: string, message = ''): Answer {
  return {
    status,
    body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${escaped(message)}</Message></Error>`,
  }
}
