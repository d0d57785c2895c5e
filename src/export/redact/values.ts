/** Judges values: is this a secret, a placeholder, a reference to one, or code? */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const WORDS = new Set(
  (
    'null nil none undefined nan true false yes no on off string str text number int integer long float double boolean ' +
    'bool bytes byte buffer char varchar date datetime timestamp uuid object array list dict map any unknown never void ' +
    'symbol bigint optional required default example sample placeholder changeme todo tbd redacted hidden masked removed ' +
    'secret secrets password passwd passphrase passwords token tokens key keys apikey value values credential credentials ' +
    'dummy empty missing invalid expired unset self this local public private basic bearer digest oauth oauth2 sha256 md5 ' +
    'bcrypt argon2 plain hashed encrypted const let var function return await async new import export type interface ' +
    'username user email login foo bar baz foobar test testing prompt stdin environment env secretstring securestring ' +
    'option options flag flags argument arguments parameter parameters instead when if only field fields header headers ' +
    'and or the is was are not be for from with in of to as it that which has must should may can will'
  ).split(' '),
)
/** What stands for a value, or refers to one that is stored elsewhere. */
const REFERENCE =
  /^(?:\[redacted|\[REDACTED|<[^>]*>?$|<(?:your|my|insert|the|api|token|secret|password|redacted|hidden)|\$\{|\$\(|\$[A-Za-z_][A-Za-z0-9_]*$|\$env:|\$\{\{|\{\{|\{%|<%|%[A-Za-z_]+%|@Microsoft\.KeyVault|arn:aws|op:\/\/|vault:|secretref:|ref\+|env[.:(]|ENC\[|process\.env|os\.environ|os\.getenv|System\.getenv|import\.meta|Deno\.env|ENV\[|getenv|config[.[(]|!(?:Ref|Sub|GetAtt|vault|secret)\b|projects\/[^/]+\/secrets|\{[A-Za-z_][\w.]*\}$|__[A-Z_]+__$)/
const MADE_UP =
  /^(?:sk-|pk-|key-|my-)?(?:test|fake|dummy|mock|stub|example|sample|demo)(?:[-_ ]?(?:key|token|secret|password|pass|value|api|user))*(?:[-_]?\d{0,4})$/i
const INSTRUCTION =
  /^(?:<|\[|\{)?(?:your|my|insert|enter|replace|put|add|paste|some|example|sample|dummy|fake|placeholder|change|generate)(?:[ _-](?!.*\d{3})|-?me\b)|(?:[ _-]here|_goes_here)(?:>|\]|\})?$|\bexample\b.*\bkey\b|\.\.\.|…/i

/** `1.2.3`, `^11.7.1`, `2.5.29.16`. */
export function isVersion(value: string): boolean {
  return /^[\^~>=<v]{0,2}\d{1,5}(?:\.\d{1,6}){1,12}(?:[-+][\w.-]{1,30})?$/.test(value)
}

/** Not a value at all: empty, a placeholder, a word of a language, a variable. */
export function isPlaceholder(value: string): boolean {
  const text = value.trim()
  if (text.length < 3 || REFERENCE.test(text) || INSTRUCTION.test(text) || MADE_UP.test(text)) return true
  if (/^(.)\1*$/.test(text) || /^[xX*•.#_?0-]+$/.test(text)) return true
  // sk-xxxx, ghp_XXXX, AKIAXXXX…
  if (/(?:x{6}|X{6}|\*{4}|•{3}|0{12})/.test(text)) return true
  return WORDS.has(text.toLowerCase().replace(/^["'`]+|["'`.,;:!?]+$/g, ''))
}

/** An expression of a program: a chain of properties, a call, an identifier in camel case. */
export function isCode(value: string): boolean {
  if (
    /=>|\?\.|::|->|&&|\|\||^[!&*]|^[\w$.]+\s*\?[\w$."']*:|^[A-Za-z]+\?$/.test(value) &&
    !/^[^\s(){}]*[!@#$%^&*][^\s(){}]*$/.test(value)
  )
    return true
  if (hasCodeBrackets(value)) return true
  if (/^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+;?$/.test(value) && !isRandom(value.replace(/^.*\./, ''))) return true
  return false
}

/** Brackets as a call, an index or a block has them: after a name or at the beginning. In a password they are anywhere. */
function hasCodeBrackets(value: string): boolean {
  const first = /[()[\]{}]/.exec(value)
  if (!first) return false
  if (/\$\{|\{\{/.test(value)) return true
  if (/[@#%^]/.test(value)) return false
  if (/[)\]}]/.test(first[0])) return /^[\w$.?:]*[)\]}][\w$.()[\]{};,]*$/.test(value) && !isRandom(value)
  return first.index === 0 || /[\w$.]/.test(value[first.index - 1]!)
}

/** An expression in quotes. Passwords have brackets, too; these have the form of a call or an index. */
export function isQuotedCode(value: string): boolean {
  return (
    isCode(value) && (!/[()[\]]/.test(value) || /^[A-Za-z_$][\w$.]*[([][\w$.,'"\s:-]*[)\]][\w$.()]*;?$/.test(value))
  )
}

export function isIdentifier(value: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(value)
}

export function isUuid(value: string): boolean {
  return UUID.test(value)
}

/** The length of a digest in hexadecimal digits, so more likely one of those than a key. */
export function isHash(value: string): boolean {
  return /^(?:[0-9a-f]+|[0-9A-F]+)$/.test(value) && [32, 40, 56, 64, 96, 128].includes(value.length)
}

interface Letters {
  readonly digits: number
  readonly lower: number
  readonly upper: number
  readonly digitGroups: number
  readonly distinct: number
  readonly longestWord: number
}

function lettersOf(value: string): Letters {
  let [digits, lower, upper, digitGroups, longestWord, word] = [0, 0, 0, 0, 0, 0]
  let wasDigit = false
  const seen = new Set<number>()
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i)
    seen.add(code)
    const isDigit = code >= 48 && code <= 57
    const isLower = code >= 97 && code <= 122
    if (isDigit) {
      digits++
      if (!wasDigit) digitGroups++
    } else if (isLower) lower++
    else if (code >= 65 && code <= 90) upper++
    wasDigit = isDigit
    word = isLower ? word + 1 : 0
    if (word > longestWord) longestWord = word
  }
  return { digits, lower, upper, digitGroups, distinct: seen.size, longestWord }
}

/** Letters and digits thoroughly mixed, as no identifier has them: enough with any context. */
export function isRandom(value: string): boolean {
  if (value.length < 16) return false
  const { digits, lower, upper, digitGroups, distinct, longestWord } = lettersOf(value)
  const letters = lower + upper
  if (distinct < 8 || letters < 3) return false
  // Base64 of a few characters may have no digit.
  if (lower > 0 && upper > 0 && digitGroups < 2) {
    return longestWord <= 4 && distinct >= 14 && changesOfCase(value) >= value.length / 3 && !/[\s./:-]/.test(value)
  }
  if (digits < 2 || digitGroups < 2) return false
  const isScattered = upper === 0 && digits >= value.length / 8 && digitGroups >= value.length / 10
  const isBroken = longestWord <= (upper > 0 ? 7 : isScattered ? 14 : 9) || (longestWord <= 16 && isGibberish(value))
  return isBroken && distinct >= Math.min(12, value.length * 0.4)
}

function changesOfCase(value: string): number {
  let changes = 0
  for (let i = 1; i < value.length; i++) {
    if (/[a-z]/.test(value[i - 1]!) !== /[a-z]/.test(value[i]!)) changes++
  }
  return changes
}

/** Pairs of letters that words are made of; about a third of all pairs, and nine of ten in English text. */
const PAIRS = new Set(
  (
    'th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne ' +
    'ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so rs un lo wa ' +
    'ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia am fi ci vi pl ig tu ev ld ry mp ' +
    'fe bl ab gh ty op wo sa ay ex ke fr oo av ag if ap gr od bo sp rd do uc bu ei ov by rm ep tt oc fa ef cu rn sc gi da ' +
    'yo cr cl du ga qu ue ff ba ey ls va um pp ua up lu go ht ru ug ds lt pi rc rr eg au ck ew mu br bi pt ak pu ui rg ib ' +
    'ki rk ys ob ph ms ud ip ub gu dr ft nu nn rv xp ok my aw ps nk dd xt'
  ).split(' '),
)

/** Letters that make no words: few of their pairs are those of a language. */
export function isGibberish(value: string): boolean {
  let [pairs, common] = [0, 0]
  const lower = value.toLowerCase()
  for (let i = 1; i < lower.length; i++) {
    const pair = lower.slice(i - 1, i + 1)
    if (!/^[a-z]{2}$/.test(pair)) continue
    pairs++
    if (PAIRS.has(pair)) common++
  }
  return pairs >= 6 && common < pairs * 0.5
}

/** Letters of both cases and digits, several of each. */
export function isMixed(value: string): boolean {
  const { digits, lower, upper } = lettersOf(value)
  return digits >= 2 && lower >= 2 && upper >= 2
}

/** Words, numbers, dates and versions joined by marks: `my-app-2`, `2024-01-01T10:00`, `v1.2.3`, `src/a/b.ts`. */
export function isSlug(value: string): boolean {
  return value
    .split(/[-_./:@ ,]+/)
    .every((part) => /^(?:[A-Za-z]?\d{0,4}|\d*|[A-Za-z]+\d{0,2}|[A-Za-z]{1,2}\d{1,3}[a-z]?)$/.test(part))
}

/** Likely a value of a secret under a name such as `token`, which has many other uses. */
export function isSecretLike(value: string): boolean {
  if (value.length < 8 || /\s/.test(value) || /^(?:[A-Za-z]:\\|https?:)/.test(value)) return false
  // A path, and not base64, which may begin with a slash.
  if (/^[.~]{0,2}\//.test(value) && !(isRandom(value) && /^[A-Za-z0-9+/=]{16,}$/.test(value))) return false
  if (isUuid(value) || isRandom(value)) return true
  if (value.length >= 14 && /^[\w-]+$/.test(value) && /[a-z].*[A-Z]|[A-Z].*[a-z]|\d/.test(value) && isGibberish(value))
    return true
  if (isSlug(value)) return false
  const { digits, lower, upper } = lettersOf(value)
  if (digits === 0) return value.length >= 20 && /[+/=]$/.test(value) && upper > 2 && lower > 2
  return digits + lower + upper >= 6 && lower + upper >= 2 && (digits >= 2 || /[!@#$%^&*+=~]/.test(value))
}

/** Distinct enough to be masked wherever it appears: no word, no number, no identifier. */
export function isDistinct(value: string): boolean {
  if (value.length < 8 || value.includes('\n')) return false
  const { digits, lower, upper } = lettersOf(value)
  const marks = value.length - digits - lower - upper
  if (lower + upper === 0 || isPlaceholder(value)) return false
  if (isSlug(value)) return value.length >= 20 && value.split(/[-_ ]/).length >= 4
  return digits > 0 || marks > 0 || (lower > 0 && upper > 2 && value.length >= 16)
}
