import { firstAfter, lastBefore } from './bounded.ts'
import type { Found } from './found.ts'
import { isPlaceholder, isSecretLike } from './values.ts'

const MAX_KEY = 30_000
const BEGIN =
  /-{4,5} ?BEGIN ([A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1|SSH2 ENCRYPTED PRIVATE KEY) ?-{4,5}/y
/** Without an end line (the output was cut) as far as it looks like base64, whatever is before each line. */
const BODY =
  /(?:[^A-Za-z0-9+/=\n]{0,12}(?:\d{1,5}[→:|\t -]{1,4})?[ \t+>|-]{0,8}[A-Za-z0-9+/=]{24,100}[ \t"',;]{0,4}(?:\n|$)?){1,400}/y

/** A private key, up to its end line, and the lines between. Certificates and public keys stay. */
export function privateKeyAt(text: string, index: number): Found | undefined {
  BEGIN.lastIndex = index
  if (!BEGIN.test(text)) return undefined
  const body = BEGIN.lastIndex
  const dashes = firstAfter(text, '----', body, MAX_KEY)
  const end =
    dashes >= 0 && dashes - body < MAX_KEY && /^-{4,5} ?END /.test(text.slice(dashes, dashes + 10))
      ? endOfLine(text, dashes)
      : -1
  if (end > 0) {
    const content = text.slice(body, dashes)
    return /[A-Za-z0-9+/=]{16}/.test(content) ? { start: index, end, kind: 'private-key' } : undefined
  }
  let from = body
  while (/\s/.test(text[from] ?? '')) from++
  BODY.lastIndex = from
  if (!BODY.test(text)) return undefined
  let stop = BODY.lastIndex
  while (/[\s"',;]/.test(text[stop - 1]!)) stop--
  return { start: index, end: stop, kind: 'private-key' }
}

function endOfLine(text: string, dashes: number): number {
  const close = /-{4,5} ?END [A-Za-z0-9 ]{0,60}-{4,5}/y
  close.lastIndex = dashes
  return close.test(text) ? close.lastIndex : -1
}

/** PuTTY keys: base64 lines after `Private-Lines: 14`. */
const PUTTY = /Private-Lines: \d{1,3}\s{1,4}(?=[A-Za-z0-9+/=]{16})/y

export function puttyKeyAt(text: string, index: number): Found | undefined {
  PUTTY.lastIndex = index
  if (!PUTTY.test(text)) return undefined
  const start = PUTTY.lastIndex
  BODY.lastIndex = start
  if (!BODY.test(text)) return undefined
  let end = BODY.lastIndex
  while (/[\s"',;]/.test(text[end - 1]!)) end--
  return { start, end, kind: 'private-key' }
}

const HASH =
  /\$(?:2[abxy]\$\d\d\$[A-Za-z0-9./]{50,60}|(?:1|5|6|y|7|gy|apr1|sha1|md5)\$(?:rounds=\d+\$)?[^\s:"'$]{1,40}\$(?:[^\s:"'$]{1,40}\$)?[A-Za-z0-9./]{16,100}|argon2(?:id|i|d)\$[^\s"']{20,300}|scrypt\$[^\s"']{20,300}|pbkdf2[\w-]*\$[^\s"']{20,300}|[PH]\$[A-Za-z0-9./]{31})/y
const DJANGO = /(?:pbkdf2_sha\d+|bcrypt_sha256|argon2|scrypt|sha1|md5)\$\d*\$?[A-Za-z0-9./+=$]{16,300}/y
const LDAP = /\{(?:S?SHA\d*|SMD5|CRYPT|PBKDF2[\w-]*|ARGON2)\}[A-Za-z0-9+/=$.,]{16,300}/iy

/** The hash of a password, as in htpasswd, shadow, Django and LDAP. */
export function passwordHashAt(text: string, index: number): Found | undefined {
  for (const pattern of [HASH, DJANGO, LDAP]) {
    pattern.lastIndex = index
    if (pattern.test(text)) return { start: index, end: pattern.lastIndex, kind: 'password-hash', learn: true }
  }
  return undefined
}

const BEARER = /Bearer["']?[ \t:=]{1,3}["']?([A-Za-z0-9._~+/=:|-]{8,4000})/iy
const BASIC = /Basic[ \t]{1,3}([A-Za-z0-9+/]{8,2000}={0,2})(?![A-Za-z0-9])/iy

export function schemeAt(text: string, index: number): Found | undefined {
  BEARER.lastIndex = index
  const token = BEARER.exec(text)?.[1]?.replace(/[.,:]+$/, '')
  if (token !== undefined) {
    const end = index + text.slice(index, BEARER.lastIndex).lastIndexOf(token) + token.length
    return isSecretLike(token) && !isPlaceholder(token)
      ? { start: end - token.length, end, kind: 'bearer-token', learn: true }
      : undefined
  }
  BASIC.lastIndex = index
  const pair = BASIC.exec(text)?.[1]
  if (pair === undefined || !/^[\x20-\x7e]*:[\x20-\x7e]+$/.test(Buffer.from(pair, 'base64').toString('latin1')))
    return undefined
  return { start: BASIC.lastIndex - pair.length, end: BASIC.lastIndex, kind: 'basic-auth', learn: true }
}

/** `host:port:database:user:password`, a line of `.pgpass`. */
const PGPASS = /^[+>|-]{0,2}[^\s:#]{1,100}:(?:\d{2,5}|\*):([^\s:]{1,64}):([^\s:]{1,64}):([^\s"':]{4,200})[ \t"']*$/

export function pgpassAt(text: string, index: number): Found | undefined {
  let start = index
  while (start > 0 && index - start < 120 && !/[\s"'`]/.test(text[start - 1]!)) start--
  let end = index
  while (end < text.length && end - index < 400 && !/[\s"'`]/.test(text[end]!)) end++
  const line = text.slice(start, end)
  const match = PGPASS.exec(line)
  if (!match || /^\d+$/.test(match[1]!) || /^\d+$/.test(match[2]!) || /^\d+$/.test(match[3]!)) return undefined
  const at = start + line.lastIndexOf(match[3]!)
  return { start: at, end: at + match[3]!.length, kind: 'password', learn: true }
}

const YAML_DATA = /\n([ \t+-]*)(?:data|stringData):[ \t]*\n((?:\1[ \t]+[^\n]+(?:\n|$))+)/g
const YAML_ENTRY = /^[ \t+-]*["']?[\w./-]+["']?:[ \t]*(?![|>])["']?([^\s"'#][^\n"']*?)["']?[ \t]*$/gm
const JSON_DATA = /"(?:data|stringData)"\s{0,20}:\s{0,20}\{([^{}]{1,20000})\}/g
const JSON_ENTRY = /:\s{0,20}"([^"\n]+)"/g

/** The values of a Kubernetes secret, whatever their names. */
export function kubernetesSecretAt(text: string, index: number, found: Found[]): void {
  const before = Math.max(lastBefore(text, '\n---', index, 1500), index - 1500, 0)
  const documentEnd = firstAfter(text, '\n---', index, 8000)
  const part = text.slice(before, documentEnd < 0 ? index + 8000 : Math.min(documentEnd, index + 8000))
  for (const [blocks, entries] of [
    [YAML_DATA, YAML_ENTRY],
    [JSON_DATA, JSON_ENTRY],
  ] as const) {
    for (const block of part.matchAll(blocks)) {
      const body = block.at(-1)!
      const bodyStart = before + block.index + block[0].indexOf(body)
      for (const entry of body.matchAll(entries)) {
        const value = entry[1]!
        if (value.length < 4 || isPlaceholder(value)) continue
        const start = bodyStart + entry.index + entry[0].lastIndexOf(value)
        found.push({ start, end: start + value.length, kind: 'secret', learn: true })
      }
    }
  }
}

/** The private parts of a JSON web key. */
const JWK = /"(?:d|p|q|dp|dq|qi|k)"\s{0,8}:\s{0,8}"([A-Za-z0-9_-]{16,2000})"/g

export function jsonWebKeyAt(text: string, index: number, found: Found[]): void {
  const start = Math.max(0, lastBefore(text, '{', index, 4000))
  const close = firstAfter(text, '}', index, 8000)
  const part = text.slice(Math.max(start, index - 4000), close < 0 ? index + 4000 : Math.min(close, index + 8000))
  const offset = Math.max(start, index - 4000)
  for (const match of part.matchAll(JWK)) {
    const at = offset + match.index + match[0].lastIndexOf(match[1]!)
    found.push({ start: at, end: at + match[1]!.length, kind: 'private-key', learn: true })
  }
}

const PHRASE =
  /[^\n]{0,40}?[:="'\n`>][\s"'`>]{0,10}((?:(?:\d{1,2}[.)]\s?)?[a-z]{3,8}[\s,]{1,4}){11,23}(?:\d{1,2}[.)]\s?)?[a-z]{3,8})(?![A-Za-z])/iy
const CODES =
  /[^\n]{0,40}?[:="'\n`>[]\s{0,10}((?:["'`\s,*+-]{0,10}(?:\d\s?\.\s|\d{1,5}[\t→|:]\s?)?(?:[0-9a-zA-Z]{4,6}-[0-9a-zA-Z]{4,6}(?:-[0-9a-zA-Z]{4,6}){0,3}|\d{6,10}|[0-9a-f]{8,16})(?![A-Za-z0-9])){1,20})/y

/** The words that restore a wallet, or codes that replace a second factor, after a label that says so. */
export function recoveryAt(text: string, index: number): Found | undefined {
  for (const [pattern, kind] of [
    [PHRASE, 'seed-phrase'],
    [CODES, 'recovery-code'],
  ] as const) {
    pattern.lastIndex = index
    const match = pattern.exec(text)
    if (!match) continue
    const value = match[1]!.trimEnd()
    const trimmed = value.replace(/^["'`\s,*+-]+/, '')
    if (kind === 'recovery-code' && !/code/i.test(text.slice(index, index + 20))) continue
    const end = pattern.lastIndex - (match[1]!.length - value.length)
    return { start: end - trimmed.length, end, kind, learn: false }
  }
  return undefined
}

const ANSIBLE = /\$ANSIBLE_VAULT;[\d.]+;AES256[^\n]{0,40}\n((?:[ \t+|>-]{0,20}[0-9a-f]{40,100}[ \t]*(?:\n|$)){1,400})/y

export function ansibleVaultAt(text: string, index: number): Found | undefined {
  ANSIBLE.lastIndex = index
  const body = ANSIBLE.exec(text)?.[1]
  if (body === undefined) return undefined
  const end = ANSIBLE.lastIndex - (body.length - body.trimEnd().length)
  return { start: ANSIBLE.lastIndex - body.length + (body.length - body.trimStart().length), end, kind: 'secret' }
}
