import type { IncomingHttpHeaders } from 'node:http'
import { messageOf } from '../../platform/error.ts'
import { plain } from '../../platform/plain-text.ts'
import { errnoOf } from '../../platform/write-hint.ts'
import { StoreError } from './object-store.ts'
import { textOf } from './s3-xml.ts'

export interface S3Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** What messages name. */
export interface S3Place {
  readonly address: string
  readonly bucket: string
  readonly region: string
  /** Empty for Amazon's own. */
  readonly endpoint: string
}

/** The code of an error in an answer, such as `NoSuchKey`. */
export function errorCode({ body }: S3Answer): string | undefined {
  const code = textOf(body.toString('utf8'), 'Code')
  return code !== undefined && /^[\w.]{1,80}$/.test(code) ? code : undefined
}

const FULL =
  /^(QuotaExceeded|XMinioStorageFull|XMinioAdminBucketQuotaExceeded|InsufficientStorage|InsufficientCapacity|StorageFull)$/
/** The last one is versitygw's. */
const BAD_KEYS = /^(InvalidAccessKeyId|SignatureDoesNotMatch|InvalidSecurity|XAdminUserNotFound)$/
const OLD_KEYS = /^(ExpiredToken|InvalidToken|TokenRefreshRequired|ExpiredTokenException)$/
const SLOW = /^(SlowDown|RequestTimeout|RequestLimitExceeded|Throttling|ThrottlingException|TooManyRequests)$/
const OTHER_REGION =
  /^(PermanentRedirect|TemporaryRedirect|Redirect|AuthorizationHeaderMalformed|IllegalLocationConstraintException)$/

/** What an answer that is neither a success nor an outcome of the request says. `now`: ours when it arrived. */
export function answerError(answer: S3Answer, place: S3Place, now: Date): StoreError {
  const { address, bucket, endpoint } = place
  const { status, headers, body } = answer
  const code = errorCode(answer) ?? ''
  const said = saidBy(body, code || `HTTP ${status}`)
  const region = headers['x-amz-bucket-region'] ?? textOf(body.toString('utf8'), 'Region')
  const failed = (): StoreError =>
    new StoreError('failed', `${address} does not work: ${said}`, {
      isTemporary: status >= 500 && status !== 501,
      hint: `check that ${endpoint || 'Amazon S3'} is the S3 server you want (AWS_ENDPOINT_URL_S3)`,
    })
  if (code === 'RequestTimeTooSkewed') return clockError(headers, address, now)
  if (code === 'NoSuchBucket') {
    return new StoreError('missing', `there is no bucket "${bucket}"${endpoint && ` on ${endpoint}`}`, {
      hint: `aws s3 mb s3://${bucket}${endpoint && ` --endpoint-url ${endpoint}`}`,
    })
  }
  if (BAD_KEYS.test(code)) {
    return new StoreError('denied', `${address} does not accept the access key: ${said}`, {
      hint: 'check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile in ~/.aws/credentials',
    })
  }
  if (OLD_KEYS.test(code)) {
    return new StoreError('denied', `${address} does not accept the session token any more: ${said}`, {
      hint: 'get new temporary credentials and set AWS_SESSION_TOKEN with them',
    })
  }
  if ((status >= 300 && status < 400) || OTHER_REGION.test(code)) {
    const isKnown = typeof region === 'string' && /^[\w-]{1,40}$/.test(region)
    if (!isKnown && status >= 400) return failed()
    return new StoreError(
      'failed',
      `the bucket "${bucket}" is ${isKnown ? `in the region ${region}, not in ${place.region}` : `not in the region ${place.region}`}`,
      { hint: isKnown ? `set AWS_REGION=${region}` : 'set AWS_REGION to the region of the bucket' },
    )
  }
  if (status === 507 || FULL.test(code)) {
    return new StoreError('full', `${address} is full: ${said}`, {
      hint: 'raise its quota, or remove what is not needed from it',
    })
  }
  if (status === 429 || SLOW.test(code) || status === 408) {
    return new StoreError('slow', `${address} is overloaded: ${said}`, { isTemporary: true, hint: 'try again later' })
  }
  if (status === 401 || status === 403) {
    return new StoreError('denied', `${address} refuses access: ${said}`, {
      hint: `allow these keys s3:ListBucket on the bucket "${bucket}", and s3:GetObject, s3:PutObject and s3:DeleteObject in it`,
    })
  }
  if (status === 501 || code === 'NotImplemented') {
    return new StoreError('unsupported', `${endpoint || address} lacks what Ion needs of S3: ${said}`, {
      hint: 'use another S3 server',
    })
  }
  // Two conditional puts met; the loser is told to try again.
  if (status === 409) return new StoreError('failed', `${address} was busy: ${said}`, { isTemporary: true })
  return failed()
}

function clockError(headers: IncomingHttpHeaders, address: string, now: Date): StoreError {
  const theirs = Date.parse(headers.date ?? '')
  const difference = now.getTime() - theirs
  const size = Number.isNaN(difference) ? '' : ` by ${duration(Math.abs(difference))}`
  const direction = Number.isNaN(difference) ? 'differs from' : difference > 0 ? 'is ahead of' : 'is behind'
  return new StoreError(
    'clock',
    `the clock of this machine ${direction} that of ${address}${size}, so it refuses all requests`,
    {
      hint: 'set the clock, for instance with: timedatectl set-ntp true',
    },
  )
}

function duration(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.round(hours / 24)} days`
}

/** The server's own text is untrusted. */
function saidBy(body: Buffer, code: string): string {
  const message = textOf(body.toString('utf8'), 'Message')
  const text = plain(message ?? '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 200)
    .replace(/\.$/, '')
  return text ? `${text} (${code})` : code
}

/** Names of certificates' problems that Node gives as codes. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|SSL/

/** Why there was no answer. `deadlineMs` if it did not come in time. */
export function connectionError(error: unknown, place: S3Place, deadlineMs: number): StoreError {
  const { address } = place
  const server = place.endpoint || `Amazon S3 (${place.region})`
  const code = errnoOf(error) ?? ''
  if ((error as Error).name === 'TimeoutError' || code === 'ABORT_ERR') {
    return new StoreError('slow', `${address} did not answer within ${Math.round(deadlineMs / 1000)} s`, {
      isTemporary: true,
      cause: error,
      hint: 'check the network, or try again later',
    })
  }
  // OpenSSL's words for an answer that is not TLS help nobody.
  if (code === 'EPROTO' && place.endpoint) {
    return new StoreError('unreachable', `there is no TLS connection with ${server} for ${address}`, {
      isTemporary: true,
      cause: error,
      hint: `if the server has none: AWS_ENDPOINT_URL_S3=${server.replace(/^https:/, 'http:')}`,
    })
  }
  if (CERTIFICATE.test(code)) {
    return new StoreError('unreachable', `cannot trust the certificate of ${server}: ${messageOf(error)}`, {
      cause: error,
      hint: 'set NODE_EXTRA_CA_CERTS to the file with the certificate of its authority',
    })
  }
  return new StoreError('unreachable', `cannot reach ${server} for ${address}: ${plain(messageOf(error)) || code}`, {
    isTemporary: true,
    cause: error,
    hint:
      code === 'ENOTFOUND'
        ? 'check AWS_ENDPOINT_URL_S3, AWS_REGION and the network'
        : 'check the network and AWS_ENDPOINT_URL_S3',
  })
}
