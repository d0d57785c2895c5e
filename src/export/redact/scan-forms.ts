import { type FormPart, partsOf, patternOf, variantsOf } from './form-notation.ts'
import { formTable } from './forms.ts'
import type { Found } from './found.ts'
import { nearbyAt } from './nearby.ts'
import { isGibberish, isPlaceholder, isRandom, isSlug } from './values.ts'

interface Variant {
  readonly kind: string
  /** How long the run of word characters at its beginning may be. */
  readonly run: readonly [min: number, max: number]
  readonly pattern: RegExp
  /** The literal text at its beginning is short: the rest must look random. */
  readonly isShort: boolean
}

/** Every form has a run of letters, digits, `_` and `-` of this length; runs are all that is looked at. */
const RUN = 14

/** Characters that join runs into one token. */
const JOINTS = '.~:|/$!+'

const isWord = new Uint8Array(128)
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-') {
  isWord[character.charCodeAt(0)] = 1
}

/** Variants by their first two characters; those that begin with random characters are tried everywhere. */
const byStart = new Map<number, Variant[]>()
const anywhere: Variant[] = []
for (const [kind, { forms }] of Object.entries(formTable)) {
  for (const variant of forms.flatMap(variantsOf)) {
    const parts = partsOf(variant)
    const start = parts[0]
    const one = { kind, pattern: patternOf(parts), isShort: literalLength(parts) < 4, run: runOf(parts) }
    if (typeof start !== 'string' || start.length < 2) anywhere.push(one)
    else {
      const key = pairAt(start, 0)
      byStart.set(key, [...(byStart.get(key) ?? []), one])
    }
  }
}

/** The length of the run that a form begins with, as far as its parts are made of word characters only. */
function runOf(parts: readonly FormPart[]): readonly [min: number, max: number] {
  let [min, max] = [0, 0]
  for (const part of parts) {
    const characters = typeof part === 'string' ? part : part.characters
    if (!/^[\w-]*$/.test(characters)) {
      // A literal may begin with word characters; a class may go on with them.
      const lead = typeof part === 'string' ? /^[\w-]*/.exec(part)![0].length : 0
      return [min + lead, typeof part === 'string' ? max + lead : Number.POSITIVE_INFINITY]
    }
    min += typeof part === 'string' ? part.length : part.min
    max += typeof part === 'string' ? part.length : part.max
  }
  // After its end there may be a mark that is a word character, too.
  return [min, Number.POSITIVE_INFINITY]
}

function literalLength(parts: readonly FormPart[]): number {
  return parts.reduce((sum, part) => sum + (typeof part === 'string' ? part.length : 0), 0)
}

function pairAt(text: string, index: number): number {
  return (text.charCodeAt(index) << 16) | text.charCodeAt(index + 1)
}

/** Calls `visit` with each maximal run of at least `least` word characters. Looks at few of the others. */
export function eachRun(text: string, least: number, visit: (start: number, end: number) => void): void {
  const { length } = text
  let after = 0
  for (let probe = least - 1; probe < length; probe += least) {
    if (!wordAt(text, probe)) continue
    let start = probe
    while (start > after && wordAt(text, start - 1)) start--
    let end = probe + 1
    while (end < length && wordAt(text, end)) end++
    if (end - start >= least) visit(start, end)
    after = end
    // The next probe is `least` after the end; the loop adds it.
    probe = end
  }
}

function wordAt(text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  return code < 128 && isWord[code] === 1
}

/** Tokens with a known form. */
export function scanForms(text: string, found: Found[]): void {
  let covered = 0
  eachRun(text, RUN, (start, end) => {
    if (start < covered) return
    const match = matchAt(text, start, end)
    if (!match) return
    found.push(match)
    covered = match.end
    if (match.kind === 'aws-key-id') pushSecretOf(text, match.end, found)
    if (match.kind === 'mail-key') pushTokenOf(text, match, found)
  })
}

function matchAt(text: string, start: number, end: number): Found | undefined {
  // The longest joined token first, then its later parts.
  const hasDigit = digitIn(text, start, end)
  for (const candidate of startsOf(text, start)) {
    for (const variant of byStart.get(pairAt(text, candidate)) ?? []) {
      const match = tryVariant(variant, text, candidate)
      if (match) return match
    }
    if (!hasDigit) continue
    const length = candidate === start ? end - start : runLength(text, candidate)
    for (const variant of anywhere) {
      if (length < variant.run[0] || length > variant.run[1]) continue
      const match = tryVariant(variant, text, candidate)
      if (match) return match
    }
  }
  if (!hasDigit) return undefined
  return insideRun(text, start, end) ?? prefixed(text, start, end) ?? nearbyAt(text, start, end)
}

const MAX_INSIDE = 12

/** `-home-dev-ghp_…`, `backup_ghp_…`: a token whose prefix leaves no doubt, after the parts of a name. */
function insideRun(text: string, start: number, end: number): Found | undefined {
  let tries = 0
  for (let at = start + 1; at < end - RUN && tries < MAX_INSIDE; at++) {
    const joint = text[at - 1]
    if (joint !== '-' && joint !== '_') continue
    tries++
    for (const variant of byStart.get(pairAt(text, at)) ?? []) {
      const match = variant.isShort ? undefined : tryVariant(variant, text, at)
      if (match) return match
    }
  }
  return undefined
}

function runLength(text: string, start: number): number {
  let end = start
  while (end < text.length && wordAt(text, end)) end++
  return end - start
}

function digitIn(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i)
    if (code >= 48 && code <= 57) return true
  }
  return false
}

function tryVariant({ kind, pattern, isShort }: Variant, text: string, start: number): Found | undefined {
  pattern.lastIndex = start
  const value = pattern.exec(text)?.[0]
  if (
    value === undefined ||
    isMadeUp(value) ||
    (isShort && ![value, value.replace(/^\w{1,4}[-._]/, '')].some((part) => isRandom(part) || isLongGibberish(part)))
  )
    return undefined
  return { start, end: start + value.length, kind }
}

function isLongGibberish(value: string): boolean {
  return value.length >= 32 && isGibberish(value)
}

/** `ghp_xxxxxxxx`, `sk-your-key-here-please`: documentation. */
function isMadeUp(value: string): boolean {
  return (
    new Set(value.slice(-16)).size < 5 ||
    isPlaceholder(value) ||
    (value === value.toLowerCase() && isSlug(value) && !/\d{4}/.test(value))
  )
}

const MAX_STARTS = 12
const MAX_BACK = 90

function startsOf(text: string, start: number): number[] {
  const starts = [start]
  let at = start
  while (at > 0 && start - at < MAX_BACK && starts.length < MAX_STARTS) {
    const joint = text[at - 1]!
    if (!JOINTS.includes(joint)) break
    at--
    const before = at
    while (at > 0 && start - at < MAX_BACK && wordAt(text, at - 1)) at--
    if (at === before && !JOINTS.includes(text[at - 1] ?? ' ')) break
    if (at < before) starts.push(at)
  }
  // `--token-ghp_…`, `_sk-…`: the run has marks before the token.
  let first = start
  while (text[first] === '-' || text[first] === '_') first++
  if (first !== start) starts.push(first)
  return starts.reverse()
}

/** The secret that stands beside its key id, as in a downloaded table. */
const AWS_SECRET = /[\s,;:|"']{1,12}(?:[A-Za-z_ ]{0,30}[=:]\s?)?["']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/y

function pushSecretOf(text: string, end: number, found: Found[]): void {
  AWS_SECRET.lastIndex = end
  const secret = AWS_SECRET.exec(text)?.[1]
  if (!secret || !isRandom(secret)) return
  found.push({
    start: AWS_SECRET.lastIndex - secret.length,
    end: AWS_SECRET.lastIndex,
    kind: 'aws-secret',
    learn: true,
  })
}

/** The token that is given with the account id of Twilio. */
const TWILIO_TOKEN = /[\s,:"']{1,6}([0-9a-f]{32})(?![0-9A-Za-z])/y

function pushTokenOf(text: string, { start, end }: Found, found: Found[]): void {
  TWILIO_TOKEN.lastIndex = end
  const token = text.startsWith('AC', start) ? TWILIO_TOKEN.exec(text)?.[1] : undefined
  if (token) {
    found.push({ start: TWILIO_TOKEN.lastIndex - 32, end: TWILIO_TOKEN.lastIndex, kind: 'mail-key', learn: true })
  }
}

/** Ids of messages, calls and records, which have the form of tokens and are none. */
const IDS =
  /^(?:toolu|tooluse|msg|call|chatcmpl|cmpl|req|request|resp|response|fc|rs|item|run|thread|asst|file|evt|event|ses|session|prt|part|tool|user|usr|org|acct|cus|ch|in|sub|price|prod|txn|batch|trace|span|job|task|step|snap|img|image|chunk|vendor|index|main|module|mod|gen|conv|conversation|artifact|art|sha\d+|md5|ami|vpc|subnet|i|vol|sg|eni|rtb|igw|arn|commit|tree|blob|ref|build|deploy|dpl|prj|team|layer|digest|etag|nonce|hash|id|uuid|guid|css|style|styles|class|svg|node|test|tmp|temp|cache|data|page|view|component|kernel|pod|rs|deployment|replicaset|container|turn|checkpoint|cp|T|S|M|rollout|memo|note|doc|ws|claude|anthropic|srvtoolu|compaction|reasoning|rsn|ctc|ig|ws|mcp|mcpl|mcpr)$/
/** Parts of a prefix that say what it is. */
const SPEAKING =
  /(?:^|[_-])(?:key|keys|apikey|api|tok|token|pat|sec|secret|sk|pk|rk|ak|live|prod|sandbox|auth|oauth|access|refresh|bot|pwd|pass|license|lic|cred|sess|svc|at|rt|pw)(?:[_-]|$)/
const PREFIXED = /^([A-Za-z][A-Za-z0-9]{0,11}(?:[_-][A-Za-z0-9]{1,10}){0,3})[_-]([A-Za-z0-9]{20,200})$/

/** A token of an unknown vendor: a short prefix, then letters of both cases and digits, thoroughly mixed. */
function prefixed(text: string, start: number, end: number): Found | undefined {
  if (end - start < 24 || end - start > 260) return undefined
  const match = PREFIXED.exec(text.slice(start, end))
  if (!match) return undefined
  const [value, prefix, rest] = match as unknown as [string, string, string]
  if (IDS.test(prefix) || IDS.test(prefix.replace(/[_-].*/, '')) || !isRandom(rest) || isMadeUp(value)) return undefined
  const isMixed = /[a-z]/.test(rest) && /[A-Z]/.test(rest) && /\d/.test(rest)
  const isSpeaking = SPEAKING.test(prefix)
  if (
    isSpeaking
      ? isMixed || /^[0-9a-f]{32,}$|^[a-z0-9]{24,}$/.test(rest)
      : isMixed && rest.length >= 32 && prefix === prefix.toLowerCase()
  ) {
    return { start, end, kind: 'token' }
  }
  return undefined
}
