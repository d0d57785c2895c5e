import { firstAfter, lastBefore } from './bounded.ts'
import type { Found } from './found.ts'
import { type Strength, strengthOf } from './names.ts'
import type { View } from './normalise.ts'
import {
  isCode,
  isDistinct,
  isGibberish,
  isHash,
  isIdentifier,
  isPlaceholder,
  isQuotedCode,
  isRandom,
  isSecretLike,
  isSlug,
  isUuid,
  isVersion,
} from './values.ts'

const MAX_NAME = 80
const MAX_VALUE = 4096
const MAX_LINE = 400

/** How a name and a value are joined; decides what an unquoted value may look like. */
type Style = 'config' | 'query' | 'option' | 'code' | 'prose' | 'element' | 'statement'

interface Value {
  readonly start: number
  readonly end: number
  readonly isQuoted: boolean
  readonly style: Style
  /** Of the name, for a JSON number that becomes a string. */
  readonly nameQuote?: string
}

interface Assigned {
  readonly found?: Found
  /** Where to go on searching. */
  readonly next: number
  /** Whether it is the name of a secret at all. */
  readonly isName: boolean
}

/** The secret, if any, that is assigned to the name of which the text at `index` is a part. */
export function assignedAt(view: View, index: number, stem: string): Assigned {
  const { text } = view
  let [start, end] = [index, index + stem.length]
  while (start > 0 && index - start < MAX_NAME && isNameCharacter(text.charCodeAt(start - 1))) start--
  while (end < text.length && end - index < MAX_NAME && isNameCharacter(text.charCodeAt(end))) end++
  // The full stop of a sentence.
  while (end > start && text[end - 1] === '.') end--
  const next = Math.max(end, index + 1)
  const name = nameOf(text.slice(start, end), text, start)
  const strength = strengthOf(name)
  if (strength === undefined) return { next, isName: false }
  for (const value of valuesAfter(view, start, end, strength)) {
    const found = judged(text, value, strength, name, view)
    if (found) return { found, next: Math.max(next, found.end), isName: true }
  }
  return { next, isName: true }
}

/** A word that makes a name of the next one: `API key: …`. */
const QUALIFIER =
  /(?:^|[^A-Za-z0-9])(api|access|secret|private|client|auth|account|master|license|signing|encryption|bot|app|recovery|seed|connection|personal|db|database|admin|root|user|webhook|storage|service|refresh|session|bearer) $/i

/** Of `spring.datasource.password` and `config.db.password` the last two parts count. */
function nameOf(whole: string, text: string, start: number): string {
  // A line of a diff and an option begin with marks, a property of Java with -D.
  const isMarked = whole.charCodeAt(0) === 45 || whole.charCodeAt(0) === 46
  const property = isMarked && text[start + whole.length] === '=' ? /^-[DP](?=[a-z])(?!assw)/ : /^$/
  const marked = isMarked ? whole.replace(property, '').replace(/^[-.]+/, '') : whole
  const dot = marked.lastIndexOf('.')
  const name = dot < 0 ? marked : marked.slice(marked.lastIndexOf('.', dot - 1) + 1).replace('.', '_')
  if (text[start - 1] !== ' ' || name.length > 12) return name
  const before = QUALIFIER.exec(text.slice(Math.max(0, start - 14), start))?.[1]
  return before ? `${before}_${name}` : name
}

function isNameCharacter(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 45 ||
    code === 46
  )
}

/** What may come after the name of a value. */
const MAY_FOLLOW = /[\s:=(>"'`\])}[|?!,<-]/
const CLOSERS = /["'`\])}]{0,3}(?:\[\d{0,6}\])?\??/y
const SEPARATOR =
  /[ \t]{0,24}(:{1,3}=|=>|={1,3}|!==?|\?\?=|\|\|=|\?=|:|->|<-|:=|\|\||\?\?|\?:)[ \t]{0,40}(?:\r?\n[ \t]{0,40}(?=["'`]))?/y
/** `password: string = "…"`, `var password string = "…"`, `char *password[] = "…"`. */
const TYPED = /(?:[A-Za-z_&'][\w.<>[\]| ?*&']{0,40}?)[ \t]{0,4}:?=(?!=)[ \t]{0,8}/y
const CALL = /\([ \t\n]{0,40}(?=["'`])/y
const COMMA = /["'`][ \t]{0,4},[ \t\n]{0,40}(?=["'`])/y
const ELEMENT = /[^<>\n]{0,60}>([^<>]{1,4000})<\//y
const ATTRIBUTE =
  /["'][ \t\n]{1,8}(?:[a-z]{1,12}=["'][^"'\n]{0,80}["'][ \t]{1,4}){0,3}(?:[a-z]{1,12}:)?(?:value|content|default|connectionString)[ \t]?=[ \t]?(?=["'])/iy
/** `"name": "DB_PASSWORD", "value": "…"`, in JSON, YAML and HCL. */
const SIBLING =
  /["']?[ \t]{0,4},?[ \t]{0,4}\r?\n?[ \t+-]{0,40}["']?(?:value|Value|VALUE|default|secretValue|plaintext|val)["']?[ \t]{0,4}[:=][ \t]{0,8}/y
const BLOCK = /["'][ \t]{0,4}\{(?:[^{}]{0,300}\n|[^{}\n]{0,200})[ \t+-]{0,40}default[ \t]{0,20}=[ \t]{0,8}/y
const NESTED =
  /["'][ \t]{0,4}:[ \t]{0,4}\{[\s]{0,40}(?:"(?:type|sensitive|description)"[ \t]{0,4}:[ \t]{0,4}[^,{}]{0,80},[\s]{0,40}){0,3}["'](?:value|default|plaintext|secret|token)["'][ \t]{0,4}:[ \t]{0,4}/y
const OPTION = /[ \t]{1,4}(?!-)/y
/** Between name and value, devices of a network have the number of an encoding: `enable secret 5 …`. */
const STATEMENT = /[ \t]{1,8}(?:[05789][ \t])?(?=\S)/y
const SIBLING_ELEMENT = /(?:<\/(?:name|key)>|["']>)[\s+-]{0,40}<(?:value|string)>/y
/** `default password (…)`. */
const PAREN = /[ \t]\((?=[^\s()]{4,80}\))/y
/** `Env:API_KEY -Value "…"`. */
const CMDLET = /[ \t]{1,4}-Value[ \t]{1,4}(?=["'])/iy
const PROSE =
  /["'`*]{0,3}[ \t]{0,3}(?:\([^()\n]{0,40}\)[ \t]?)?(?:[ \t](?:for|of|to|on)[ \t][\w.@-]{1,40}(?:[ \t][\w.@-]{1,40}){0,3})?[ \t](?:is|was|are|will be|should be|equals|as|set to|changed to|from|to)[ \t]{1,2}(?:now[ \t]|still[ \t]|set to[ \t]|this[ \t]?|just[ \t])?(?::[ \t]{0,2})?/iy

/** `passphrase for the key: …`. */
const LABEL = /[ \t](?:for|of|to|on|at|in)(?:[ \t][\w.@-]{1,30}){1,4}[ \t]{0,2}:[ \t]{1,4}/y

/** Candidates for the value of a name, most likely first. */
function* valuesAfter(view: View, start: number, end: number, strength: Strength): Generator<Value> {
  const { text } = view
  const from = end
  const isOption = /(?:^|[\s"'`[(,])-{1,2}$/.test(text.slice(Math.max(0, start - 3), start)) || text[start] === '-'
  const isEnvironment = /^(?:[A-Z][A-Z0-9_]*)$/.test(text.slice(start, end))
  const afterClosers = matchEnd(CLOSERS, text, from) ?? from

  if (!MAY_FOLLOW.test(text[from] ?? '')) return
  const nested = text[from] === '"' ? matchEnd(NESTED, text, from) : undefined
  if (nested !== undefined) yield* valueAt(view, nested, 'config')
  const separated = matchEnd(SEPARATOR, text, afterClosers)
  if (separated !== undefined) {
    const separator = text.slice(afterClosers, separated)
    const typed = /:|^[ \t]+[^=]/.test(separator) ? matchEnd(TYPED, text, separated) : undefined
    if (typed !== undefined) yield* valueAt(view, typed, 'code')
    const isTight = separator === '=' || separator === ':'
    const style: Style = isOption
      ? 'option'
      : isTight && text[separated - 1] === '='
        ? isEnvironment
          ? 'config'
          : 'query'
        : lineStyle(text, start, separated)
    const quote = text[end]
    yield* valueAt(view, separated, style, quote === '"' ? text.slice(end, end + 1) : undefined)
    return
  }
  if (strength === 'weak' && !isOption) return
  const typed = /[ \t]/.test(text[afterClosers] ?? '') ? matchEnd(TYPED, text, afterClosers + 1) : undefined
  if (typed !== undefined) yield* valueAt(view, typed, 'code')
  if (isOption) {
    const value = matchEnd(COMMA, text, from) ?? matchEnd(OPTION, text, from)
    if (value !== undefined) yield* valueAt(view, value, 'option')
    return
  }
  for (const [pattern, style] of [
    [CALL, 'code'],
    [ATTRIBUTE, 'config'],
    [SIBLING_ELEMENT, 'config'],
    [SIBLING, 'config'],
    [BLOCK, 'code'],
    [CMDLET, 'config'],
  ] as const) {
    const value = matchEnd(pattern, text, from)
    if (value !== undefined && (pattern !== CALL || isCallOfSecret(text.slice(start, end)))) {
      yield* valueAt(view, value, style)
    }
  }
  const comma = matchEnd(COMMA, text, from)
  if (comma !== undefined) {
    // `define('KEY', '…')` and `["KEY", "…"]`, and not any list of strings.
    const [, opening] = /([([{])[ \t\n]{0,8}["'`]$/.exec(text.slice(Math.max(0, start - 10), start)) ?? []
    for (const value of opening ? valueAt(view, comma, 'code') : []) {
      const isPair = /^["'`][ \t\n]{0,8}[\])}]/.test(text.slice(value.end, value.end + 10))
      if (opening === '(' || (isPair && isSecretLike(text.slice(value.start, value.end)))) yield value
    }
  }
  ELEMENT.lastIndex = from
  const element = /[<:\w"']$/.test(text.slice(Math.max(0, start - 1), start)) ? ELEMENT.exec(text) : null
  // The text of an element that only has such an id needs a digit.
  if (element && (/\d/.test(element[1]!) || !/["']/.test(text[start - 1]!))) {
    const value = element[1]!
    const lead = value.length - value.trimStart().length
    const at = ELEMENT.lastIndex - 2 - value.length + lead
    yield { start: at, end: at + value.trim().length, isQuoted: true, style: 'element' }
  }
  const prose =
    matchEnd(PROSE, text, from) ??
    matchEnd(LABEL, text, from) ??
    (strength === 'strong' ? matchEnd(PAREN, text, from) : undefined)
  if (prose !== undefined) yield* valueAt(view, prose, 'prose')
  // `machine h login u password p`, `requirepass p`, `WITH PASSWORD 'p'`, `authtoken t`.
  const statement = matchEnd(STATEMENT, text, from)
  if (statement !== undefined) yield* valueAt(view, statement, 'statement')
}

/** `setPassword('…')`, and not `password.encode('utf-8')`. */
function isCallOfSecret(name: string): boolean {
  return strengthOf(name.slice(name.lastIndexOf('.') + 1)) !== undefined
}

function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}

/** A line of a settings file has the name first and nothing after the value; anything else is code or prose. */
function lineStyle(text: string, start: number, valueStart: number): Style {
  const before = text.slice(Math.max(lastBefore(text, '\n', start, 60) + 1, start - 60), start)
  if (
    !/^[\s+>|*#"'-]*(?:\d{1,6}[→:|\t -][\s+-]*)?(?:export\s|set\s|setx\s|env\s|ENV\s|ARG\s|\$env:|- name:\s)?[\w.[\]/:-]*["']?$/.test(
      before,
    )
  )
    return 'code'
  const lineEnd = firstAfter(text, '\n', valueStart, MAX_LINE)
  // A longer line is not one of a settings file, unless it has one long value.
  const rest = text.slice(valueStart, lineEnd < 0 ? valueStart + MAX_LINE : lineEnd)
  return /^\S+\s*(?:#.*)?$/.test(rest) && !/[,;({[]\s*$/.test(rest) ? 'config' : 'code'
}

const SCHEMES =
  /(?:Bearer|Basic|Token|Digest|ApiKey|Api-Key|Key|GenieKey|SSWS|Bot|JWT|OAuth|Negotiate|NTLM|Signature|Splunk|Snowflake|Zoho-oauthtoken)[ \t]{1,4}(?=\S)/iy
const PREFIXES = /(?:[rbfu]{1,2}|@|\$|%[qQ]?)(?=["'`])/y

function* valueAt(view: View, from: number, style: Style, nameQuote?: string): Generator<Value> {
  const { text } = view
  let start = matchEnd(PREFIXES, text, from) ?? from
  const quote = text[start]
  if (quote === '"' || quote === "'" || quote === '`') {
    const isTriple = text.startsWith(quote.repeat(3), start)
    start += isTriple ? 3 : 1
    const end = quotedEnd(view, start, quote)
    const inner = matchEnd(SCHEMES, text, start) ?? start
    if (end !== undefined && end > inner) yield { start: inner, end, isQuoted: true, style }
    return
  }
  start = matchEnd(SCHEMES, text, start) ?? start
  // A block of YAML: the value is on the next line.
  const block = /^[|>][+-]?\d?[ \t]*\r?\n[ \t+]{1,40}/.exec(text.slice(start, start + 60))
  if (block) start += block[0].length
  const end = unquotedEnd(text, start, style)
  if (end > start) yield { start, end, isQuoted: false, style, ...(nameQuote ? { nameQuote } : {}) }
}

/** The closing quote has as many backslashes as the opening one. */
function quotedEnd(view: View, start: number, quote: string): number | undefined {
  const { text } = view
  const width = rawWidth(view, start - 1)
  const limit = Math.min(text.length, start + MAX_VALUE)
  for (let at = start; at < limit; at++) {
    const character = text[at]
    if (character === '\n' && rawWidth(view, at) <= width) return undefined
    if (character === '\0') return undefined
    if (character === quote && rawWidth(view, at) === width) return at
  }
  return undefined
}

function rawWidth(view: View, index: number): number {
  return view.rawEnd(index + 1) - view.rawStart(index)
}

function unquotedEnd(text: string, start: number, style: Style): number {
  const limit = Math.min(text.length, start + MAX_VALUE)
  let end = start
  for (; end < limit; end++) {
    const character = text[end]!
    if (/[\s\0"'`<>]/.test(character)) break
    if (style === 'query' && /[;,)\]}]/.test(character)) break
    // The next parameter; a password may have an ampersand, too.
    if (style === 'query' && character === '&' && /^&(?:[\w.%[\]-]{1,40}=|&|$|\s)/.test(text.slice(end, end + 44)))
      break
    if ((style === 'code' || style === 'statement') && /[,;]/.test(character)) break
  }
  // What follows a value in a sentence, a list or a program.
  const trailing = style === 'config' ? /[,;]$/ : style === 'statement' ? /[,;.:?)\]}]+$/ : /[,;.:!?)\]}]+$/
  const value = text.slice(start, end)
  return start + value.replace(style === 'prose' ? /[,;.:?)\]}]+$/ : trailing, '').length
}

function judged(text: string, value: Value, strength: Strength, name: string, view: View): Found | undefined {
  const { start, end, isQuoted, style } = value
  const content = text.slice(start, end)
  const isJsonNumber = value.nameQuote !== undefined && strength === 'strong' && /^\d{4,}$/.test(content)
  if (!isJsonNumber && !isSecretValue(content, strength, name, value)) return undefined
  const isNumber = /^\d+$/.test(content)
  const quote =
    isNumber && !isQuoted && value.nameQuote ? rawQuote(view, text.lastIndexOf(value.nameQuote, start)) : undefined
  return { start, end, kind: kindOf(name, style), learn: isDistinct(content), ...(quote ? { quote } : {}) }
}

function rawQuote(view: View, index: number): string | undefined {
  const width = rawWidth(view, index)
  return index < 0 ? undefined : `${'\\'.repeat(width - 1)}"`
}

function kindOf(name: string, style: Style): string {
  if (/authorization$/i.test(name)) return 'bearer-token'
  if (/cookie$/i.test(name)) return 'cookie'
  return style === 'query' && /sig/i.test(name) ? 'signature' : 'secret'
}

/** Whether a literal value under a name is a secret. Also for the fields of JSON values. */
export function isSecretValue(
  content: string,
  strength: Strength,
  name: string,
  { isQuoted, style }: { isQuoted: boolean; style: Style },
): boolean {
  if (style === 'option' && content.startsWith('--')) return false
  if (isPlaceholder(content) || isVersion(content) || /^0x[0-9a-f]{1,8}$/i.test(content)) return false
  // The path of a file, or a URL: if that holds a password, it has its own rule.
  if (/^(?:~?\.{0,2}\/[\w.@%/-]*|[a-z][a-z0-9+.-]*:\/\/\S*)$/i.test(content) && !isRandom(content.replace(/[/.]/g, '')))
    return false
  if (strength === 'weak')
    return (
      // `mailjetKey`; a `key` alone may be that of a map.
      (isServiceKey(name) ? isSecretLike(content) || isHash(content) : !isHash(content) && !isUuid(content)) &&
      (isServiceKey(name) || isRandom(content)) &&
      !/[\s()[\]{}]/.test(content) &&
      // An id with the name of its kind: ses_…, T-….
      !/^[A-Za-z]{1,8}[_-]/.test(content) &&
      !isSlug(content)
    )
  if (strength === 'likely') return isLikely(content, name, isQuoted, style)
  if (/mnemonic|(?:seed|recovery|backup|wallet)[ _-]?phrase/i.test(name))
    return content.length >= 8 && (isQuoted || style === 'config' || isRandom(content))
  if (/\s/.test(content))
    return (
      isQuoted &&
      style !== 'element' &&
      content.length <= 100 &&
      /\d|[^\w\s.,!?'’…:()-]/.test(content) &&
      !/[{}<>|]|\$\(/.test(content)
    )
  if (isQuoted)
    return (
      content.length >= (/pass|pwd|pw|pin/i.test(name) ? 4 : 8) &&
      !isQuotedCode(content) &&
      !isMessage(content, name) &&
      (/\d/.test(content) || !isNamed(content, name))
    )
  if (isCode(content)) return false
  if (style === 'config' || style === 'option') {
    if (content.length < 4) return false
    // A type: `password: Password`. A variable of a program would be followed by more.
    return (
      !isIdentifier(content) ||
      /\d/.test(content) ||
      (content === content.toLowerCase() && content.length >= 5 && !isNamed(content, name)) ||
      /^[A-Z0-9_]{12,}$/.test(content) ||
      isRandom(content)
    )
  }
  if (style === 'query')
    return (
      content.length >= 4 &&
      (!isIdentifier(content) || (/\d/.test(content) && !isNamed(content, name)) || isRandom(content)) &&
      !isSlugWord(content)
    )
  if (style === 'statement') return isStatementValue(content)
  if (content.length < 5 || !/\d|[!@#$%^&*]/.test(content) || /^[-\d.,:%]+$/.test(content) || isNamed(content, name))
    return isRandom(content) || (/^(?:[A-Z2-7]{16,}|[a-z]{14,})$/.test(content) && isGibberish(content))
  if (style === 'prose') return isProseValue(content)
  return !isIdentifier(content) || /[a-z]\d|\d[a-z]|\d{3}/i.test(content)
}

/** `password p4ssw0rd`: nothing but the form of the value says that it is one. */
function isStatementValue(content: string): boolean {
  return (
    content.length >= 5 &&
    /\d|[!@#$%^&*]/.test(content) &&
    !/^[-\d.:%]+$|^__|[()=:[\]{}<>]|\*$/.test(content) &&
    (!isSlug(content) || /[!@#$%^&*]/.test(content))
  )
}

/** After `the password is`: not a word with marks around it, a number or a name. */
function isProseValue(content: string): boolean {
  const bare = content.replace(/^[*_"'`(]+|[*_"'`).,;:!?]+$/g, '')
  return (/\d/.test(bare) || /\w[!@#$%^&*]+\w/.test(bare)) && !/^__|^[-\d.,:%/]+$/.test(bare) && !isVersion(bare)
}

/** `MAILJET_KEY`, `mailjetKey`: the key of something, and not one of the ordinary keys of programs, which have no strength. */
function isServiceKey(name: string): boolean {
  return (
    /[a-z0-9]{2}[_-]?(?:Key|KEY|_key|-key)$/i.test(name) && !/^(?:the|this|that|each|new|old|my)?[_-]?key$/i.test(name)
  )
}

function isLikely(content: string, name: string, isQuoted: boolean, style: Style): boolean {
  if (/^(?:pin|otp|cvv|cvc|mfa)|_(?:pin|otp|cvv|cvc)$|pin_?code$/i.test(name)) {
    return (
      /^\d{3,8}$/.test(content) &&
      (isQuoted || style === 'config' || style === 'prose' || style === 'option') &&
      content.length >= (/^cv/i.test(name) ? 3 : 4)
    )
  }
  if (/cookie$/i.test(name)) return content.length >= 8 && (/=/.test(content) || isSecretLike(content))
  if (/^(?:proxy[-_])?authorization$/i.test(name))
    return (
      content.length >= 6 &&
      !isCode(content) &&
      (style === 'statement' || style === 'prose' ? isRandom(content) : /\d/.test(content) || isGibberish(content))
    )
  if (/client.?id$/i.test(name) && isUuid(content)) return false
  if (/app_?id$/i.test(name)) return style === 'query' && isHash(content)
  // Signatures of messages and models are no secrets; one in a URL opens what it signs.
  if (/sig(?:nature)?$/i.test(name) && style !== 'query') return false
  if (/community$/i.test(name)) return isQuoted || style === 'option'
  if (isCode(content) && !isQuoted) return false
  // `Seed ef37206d` and `token 3f2a9c1d` in a sentence or a log.
  if (style === 'statement' && !isQuoted)
    return !/^(?:seed|private|api|access|consumer)$/i.test(name) && isRandom(content)
  if (style === 'prose' && !isQuoted && !isProseValue(content)) return false
  if (/(?:^|_)(?:pass|pw)$/i.test(name)) {
    return (
      content.length >= 5 &&
      !/\s/.test(content) &&
      (/\d/.test(content) || /[!@#$%^&*]/.test(content)) &&
      !/^[\d.,:%/]+$/.test(content) &&
      (isQuoted || !isNamed(content, name))
    )
  }
  if (
    /(?:^|_)auth$/i.test(name) &&
    /^[A-Za-z0-9+/]{8,}={0,2}$/.test(content) &&
    /=$|[A-Z].*[a-z].*[A-Z]|\d/.test(content)
  )
    return isRandom(content) || /=$/.test(content) || isBase64Pair(content)
  if (/hash$/i.test(name) && !/pass|pwd|pw/i.test(name)) return false
  return (
    isSecretLike(content) &&
    !(isHash(content) && style !== 'query' && /sig|nonce|code|session|private|webhook|seed|access$/i.test(name))
  )
}

/** `user:password` in base64. */
function isBase64Pair(content: string): boolean {
  return /^[\x20-\x7e]+:[\x20-\x7e]+$/.test(Buffer.from(content, 'base64').toString('latin1'))
}

/** A variable that is named as its setting is: `password = password1`, `token: authToken2`. */
function isNamed(content: string, name: string): boolean {
  const stem = /pass|pwd|pw|secret|token|key|cred|auth/i.exec(name)?.[0]
  return stem !== undefined && isIdentifier(content) && content.toLowerCase().includes(stem.toLowerCase())
}

function isSlugWord(content: string): boolean {
  return /^[a-z]+(?:[-.][a-z]+)*$/i.test(content) && content.length < 12
}

/** Text for people or for a schema under the name of a password field: `"password": "Password"`. */
function isMessage(content: string, name: string): boolean {
  const [a, b] = [content, name].map((text) => text.toLowerCase().replace(/[^a-z]/g, ''))
  return (
    !/\d/.test(content) &&
    (a === b ||
      /^(?:current|new|confirm|forgot|reset|your|my|db|user)?-?_?(?:password|passwort|passwd|secret|token)s?$/i.test(
        content,
      ))
  )
}
