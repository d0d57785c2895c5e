import type { Found } from './found.ts'
import { isDistinct, isHash, isMixed, isPlaceholder, isRandom, isSecretLike } from './values.ts'

const MAX_URL = 2000
const END = /[\s"'`<>\\\0{}|^]/

/** Addresses that whoever knows them may post to, up to the part that is secret. */
const webhooks: readonly RegExp[] = [
  /^hooks\.slack\.com\/(?:services|workflows|triggers)\/(?=\w)/,
  /^hooks\.slack-gov\.com\/services\/(?=\w)/,
  /^(?:\w+\.)?discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/(?=\d)/,
  /^[\w.-]+\.webhook\.office\.com\/webhookb2\/(?=\w)/,
  /^outlook\.office(?:365)?\.com\/webhook\/(?=\w)/,
  /^hooks\.zapier\.com\/hooks\/(?:catch|standard)\/(?=\d)/,
  /^hook\.(?:\w+\.)?(?:make|integromat)\.com\/(?=\w)/,
  /^maker\.ifttt\.com\/(?:trigger\/[^/]+\/(?:json\/)?with|use)\/(?:key\/)?(?=\w)/,
  /^api\.telegram\.org\/(?:file\/)?bot(?=\d)/,
  /^open\.(?:feishu\.cn|larksuite\.com)\/open-apis\/bot\/v2\/hook\/(?=\w)/,
  /^qyapi\.weixin\.qq\.com\/cgi-bin\/webhook\/send\?key=(?=\w)/,
  /^[\w-]+\.tines\.com\/webhook\/(?=\w)/,
  /^(?:hc-ping\.com|healthchecks\.io\/ping)\/(?=[0-9a-f-]{20})/,
  /^[\w-]+\.webhook\.site\/(?=[0-9a-f-]{20})|^webhook\.site\/(?=[0-9a-f-]{20})/,
  /^[\w.-]+\.m\.pipedream\.net\/?(?=\w)/,
  /^events\.pagerduty\.com\/integration\/(?=\w)/,
  /^alert\.victorops\.com\/integrations\/generic\/\d+\/alert\/(?=\w)/,
  /^api\.opsgenie\.com\/v1\/json\/\w+\?apiKey=(?=\w)/,
  /^[\w-]+\.(?:infura|alchemyapi)\.io\/v\d\/(?=\w)|^(?:[\w-]+\.g\.alchemy\.com|[\w-]+\.infura\.io(?:\/ws)?)\/v\d\/(?=\w)/,
  /^[\w.-]*quiknode\.pro\/(?=\w)/,
  /^rpc\.ankr\.com\/\w+\/(?=\w{20})/,
  /^[\w-]+\.chat\/hooks\/(?=\w{20})|^[\w.-]*mattermost[\w.-]*\/hooks\/(?=\w{20})|^[\w.-]+\/hooks\/(?=[a-z0-9]{26}(?:\W|$))/,
  /^rollbar\.com\/api\/1\/item\/(?=\w)|^api\.honeycomb\.io\/1\/batch\/(?=\w)/,
  /^[\w.-]+\.azurewebsites\.net\/api\/[^?\s]+\?code=(?=\w)/,
  /^gitlab\.com\/api\/v4\/projects\/\d+\/ref\/[^/]+\/trigger\/pipeline\?token=(?=\w)/,
  /^jenkins[\w.-]*\/[^\s?]*build\?token=(?=\w)/,
]

/** Parameters with short names that log somebody in, if their value is random. */
const CODES = /[?&](?:code|ticket|invite|magic|otp|auth|t|k|s)=([\w~.-]{20,400})(?![\w%])/g

/** Databases and servers: what is before the `@` is a user and a password, even with slashes in it. */
const SERVER =
  /^(?:postgres|postgresql|mysql|mariadb|mongodb|redis|rediss|amqp|amqps|ftp|ftps|sftp|ssh|ldap|ldaps|smtp|smtps|imap|imaps|pop3|mssql|sqlserver|oracle|clickhouse|cockroachdb|couchdb|nats|mqtt|mqtts|ws|wss|rtsp|rtmp|smb|svn|cassandra|neo4j|bolt|elasticsearch|kafka|vnc|rdp|tcp|socks5|socks5h|snowflake|redshift|trino|presto|valkey|memcached|influxdb|questdb|git|s3|jdbc|cockroach|crdb|libsql|surrealdb|turso)(?:\+[\w.]+)?$/i

/** The secrets of the URL whose `://` is at `index`: a password, a webhook. Parameters are judged by their names. */
export function urlAt(text: string, index: number, found: Found[]): void {
  let scheme = index
  while (scheme > 0 && index - scheme < 30 && /[A-Za-z0-9+.-]/.test(text[scheme - 1]!)) scheme--
  // The mark of a diff.
  while (/[+.-]/.test(text[scheme]!)) scheme++
  const start = index + 3
  let end = start
  while (end < text.length && end - start < MAX_URL && !END.test(text[end]!)) end++
  const rest = text.slice(start, end)
  const webhook = webhooks.map((pattern) => pattern.exec(rest)?.[0]).find((match) => match !== undefined)
  if (webhook !== undefined) {
    const secret = /^[^\s),;\]]*/.exec(rest.slice(webhook.length))?.[0].replace(/[.,:!?]+$/, '') ?? ''
    if (secret.length >= 8 && !isPlaceholder(secret) && /\d/.test(secret)) {
      found.push({ start: start + webhook.length, end: start + webhook.length + secret.length, kind: 'webhook' })
      return
    }
  }
  for (const match of rest.matchAll(CODES)) {
    const code = match[1]!
    if (!isMixed(code) || !isRandom(code)) continue
    const at = start + match.index + match[0].length - code.length
    found.push({ start: at, end: at + code.length, kind: 'secret', learn: true })
  }
  pushUser(text, start, rest, text.slice(scheme, index), found)
}

function pushUser(text: string, start: number, rest: string, scheme: string, found: Found[]): void {
  const authority = /^[^/?#]*/.exec(rest)![0]
  let at = authority.lastIndexOf('@')
  if (at < 0 && SERVER.test(scheme)) {
    // An unescaped slash or number sign in the password: the host after the last @ must look like one.
    const last = rest.lastIndexOf('@')
    if (last > 0 && /^[^/?#]*:/.test(rest) && /^[\w.-]+(?::\d+)?(?:[/?,]|$)/.test(rest.slice(last + 1))) at = last
  }
  // A number sign in a password, which a browser would not accept and people write.
  if (at < 0) at = /^[^/?:@#]+:[^/?@]*#[^/?@]*(?=@[\w.-]+(?:[:/]|$))/.exec(rest)?.[0].length ?? -1
  if (at <= 0) return
  const user = rest.slice(0, at)
  const colon = user.indexOf(':')
  if (colon < 0) {
    const isToken = isSecretLike(user) || isHash(user)
    if (isToken && !isPlaceholder(user))
      found.push({ start, end: start + user.length, kind: 'url-password', learn: isDistinct(user) })
    return
  }
  const password = user.slice(colon + 1)
  const name = user.slice(0, colon)
  // A token as the user, with an empty password or a fixed one.
  if (name.length >= 16 && isRandom(name))
    found.push({ start, end: start + name.length, kind: 'url-password', learn: true })
  if (
    password.length === 0 ||
    /^(?:\$|\{|<|%[A-Z_]+%|\*+$|x-oauth-basic$|x-token-auth$|\[redacted|\d{1,5}$)/.test(password)
  )
    return
  if (/^\[redacted/.test(text.slice(start + colon + 1, start + colon + 11))) return
  found.push({ start: start + colon + 1, end: start + at, kind: 'url-password', learn: isDistinct(password) })
}
