/** Judges names of settings, fields, variables, headers and options by the words in them. */

/**
 * `strong`: any literal value is a secret. `likely`: one that looks like a secret. `weak`: one that looks random.
 */
export type Strength = 'strong' | 'likely' | 'weak'

/** Begins what a name of a secret contains; a cheap search over everything. Lower case. */
export const NAME_STEMS = [
  'pass',
  'pwd',
  'pswd',
  'secret',
  'token',
  'key',
  'auth',
  'cred',
  'cookie',
  'sessid',
  'sessionid=',
  'session_id=',
  'session=',
  'signature',
  'sig=',
  'appid=',
  'mnemonic',
  'seed',
  'recovery',
  'backup[ _-]?code',
  'otp',
  'pin',
  'cvv',
  'dsn',
  'salt',
  'psk',
  'community',
  'client[ _-]?id',
  'license',
  'bindpw',
  'rootpw',
  'connection[ _-]?string',
  'sonar[._]login',
  'private',
  'webhook',
  '_pw',
  'pw=',
  'pw:',
  'nonce',
  '[._]sid',
  'verifier',
] as const

/** With one of these at its end, a name says something about a secret and does not hold it. */
const ABOUT =
  /_(?:files?|paths?|dirs?|folder|url|uri|endpoint|host|types?|names?|length|len|size|counts?|min|max|policy|fields?|inputs?|label|placeholder|hint|regex|pattern|expires?(?:_in|_at)?|expiry|expiration|ttl|age|date|at|by|env|vars?|refs?|enabled|disabled|required|valid|validator|validation|reset|strength|manager|provider|service|class|format|alg|algorithm|encoder|encoding|version|usage|used|limits?|budget|costs?|store|error|errors|message|status|title|text|rotation|command|cmd|helper|page|form|changed|exists|prompt|schema|mode|prefix|suffix|index|ids?|col|column|row|bits|func|fn|callback|handler|parser|stream|list|set|map|event|events|button|screen|view|component|icon|binding|combination|down|up|press|board|word|words|frame|frames|point|chain|ring|space|ed|er|ing|s|mount|source|location|scope|scopes|audience|issuer|window|position|range|span|kind|model|details|info|input_token|output_token|per_second|budget_tokens|left|remaining|total)$/
const STRONG = new RegExp(
  [
    '_(?!by|com|sur|tres|encom|over|under)[a-z0-9]{0,14}(?:password|passwd|passphrase|passcode|passwort|pswd|pwd)s?\\d*_',
    '_(?:[a-z0-9]{0,10}secret|secretkey|clientsecret|appsecret)\\d*_(?!.*_(?:key_ref|manager)_)',
    '_(?:db|user|root|admin|my|mysql|pg|smtp|ftp|ssh|sudo|su|become|ssl|key|store|trust|ldap|bind|require|redis|mail|wifi|login|old|new|master|vnc|rdp|host|auth|http|proxy|basic|cert|pfx|p12|enable)_?(?:pass|pw)\\d*_$',
    '_(?:api|access|secret|private|encryption|encrypt|decryption|signing|sign|master|account|storage|shared|shared_access|service|app|application|admin|server|consumer|subscription|license|licence|deploy|ssh|rsa|aes|hmac|jwt|webhook|auth|authentication|function|host|write|ingest|ingestion|instrumentation|integration|root|recovery|unlock|unseal|client|preshared|pre_shared|tsig|tls|gpg|pgp|rest|user|global|project|primary|secondary|account_access|developer|bot|platform|vault|cipher|crypto|install|personal|backup|credential|data_encryption|join|cookie_encryption|cookie_signing|internal|connection|partner|merchant|tunnel|sas|interpreter|billing)_?key\\d*_(?!base_ref)',
    '_(?:apikey|accesskey|secretkey|privatekey|appkey|authkey|masterkey|licensekey|accountkey)\\d*_',
    '_(?:access|auth|api|refresh|bearer|oauth|id|session|security|bot|app|user|personal|deploy|deployment|publish|registry|ci|job|runner|trigger|webhook|verify|verification|reset|invite|join|csrf|xsrf|login|service|integration|install|installation|private|secret|admin|root|agent|device|push|vault|project|workspace|org|team|account|client|upload|read|write|hub|cli|bearertoken|auth_access)_?token\\d*_',
    '_(?:accesstoken|authtoken|apitoken|refreshtoken|idtoken|bearertoken|authtoken)\\d*_',
    '_(?:connection_string|connectionstring|conn_str|sonar_login|bindpw|rootpw|psk|secret_id|secret_token|code_verifier|mnemonic|seed_phrase|seedphrase|recovery_phrase|recovery_codes?|backup_codes?|otp_secret|totp_secret|signing_secret|requirepass|masterauth|master_auth|client_key_data|private_key_id|key_base|gh_token|api_hash|security_answer|pass_phrase|shared_access_signature|credentials_json|auth_string)_',
    '_(?:password|pass|pwd|pw|passwd)_?(?:hash|hashed|digest|confirmation|confirm|again|repeat|prod|dev|staging|production|live|test|old|new|salt|plain|cleartext)_',
    '_(?:cleartext|clear_text|plaintext)_?password_',
  ].join('|'),
)
const LIKELY =
  /_(?:[a-z0-9]*token|pass|pw|auth|[a-z]*authorization|cred|creds|credentials?|cookies?|connect_sid|[a-z]*sessid|otp|pin|pin_code|pincode|cvv|cvc|salt|dsn|signature|sig|hmac|community|license|licence|key_\d|csrf|jwt|private|client_id|x_amz_credential|webhook|nonce_secret|verifier|access|seed|consumer|passes|bearer|clientid|api_id|app_?id|api|secret_\w+|[a-z]+_hash|token_\w+|key_\w+)_$/
const WEAK = /_(?:[a-z0-9]*key|code|state|session_key|nonce|sessionid|session_id|sid|session)\d*_$/
/** Keys that are no secrets: of databases, maps, interfaces and files. */
const ORDINARY =
  /_(?:primary|foreign|partition|sort|cache|object|row|lookup|idempotency|public|pub|hash|map|json|dict|sort|group|query|react|item|index|unique|composite|registry|reg|hot|shortcut|column|field|config|settings?|i18n|translation|message|arrow|enter|escape|tab|shift|ctrl|alt|meta|any|left|right|page|s3|bucket|path|file|name|by|for|of|in|option|prop|property|attr|data|state|event|route|parent|child|first|last|next|previous|prev|sub|dedupe|dedup|storage_prefix|tree|list|array|set|enum|type|kind|metric|label|tag|annotation|feature|flag|context|locale|theme|range|hash_range|current|same|each|per|mon|tur|don|whis|joc)_?keys?\d*_$|_(?:next|page|continuation|cancel|cancellation|cancelation|stop|eos|bos|pad|unk|mask|sync|delim|start|end|max|min|num|total|input|output|prompt|completion|cached|reasoning|prev|previous|last|first|current|peek|lexer|parser|syntax|punctuation|keyword|string|comment|abort|design|color|colour|theme|css|cursor)_?tokens?\d*_$|_(?:author|authors|authority|authenticated|authorized|keyword|keywords|keyboard|keyof|keyframes|passed|passing|passes|passthrough|passport|compass|bypass|spinning|pinned|pinning|pinch|mapping|typing|shipping|seeded|seeds|sessions|cookie_policy|tokenizer|tokenize|secretary)_/

/** `apiKey`, `API_KEY`, `x-api-key` and `api key` become `_api_key_`. */
function normalised(name: string): string {
  return `_${name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]{2,})([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')}_`
}

const known = new Map<string, Strength | undefined>()
const MAX_KNOWN = 5000

/** What a value under this name is; undefined when the name does not speak of secrets. */
export function strengthOf(name: string): Strength | undefined {
  if (name.length > 120) return undefined
  if (known.has(name)) return known.get(name)
  const strength = judge(name, normalised(name))
  if (known.size >= MAX_KNOWN) known.clear()
  // A copy: a slice would keep the whole text in memory.
  known.set(Buffer.from(name).toString(), strength)
  return strength
}

function judge(name: string, words: string): Strength | undefined {
  if (ORDINARY.test(words)) return undefined
  const isAbout = ABOUT.test(words.slice(0, -1))
  if (STRONG.test(words))
    return isAbout &&
      !/_(?:secret_id|private_key_id)_$|_(?:recovery|backup)_codes_$|(?:password|passwd|pwd)s?_$/.test(words)
      ? undefined
      : 'strong'
  if (
    isAbout &&
    !/_(?:session_id|client_id|api_id|app_?id|sessionid|connect_sid|sid|clientid)_$|credentials_$|cookies_$|creds_$/.test(
      words,
    )
  )
    return undefined
  // STRIPE_KEY, DEPLOY_TOKEN: a variable of the environment.
  if (/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:KEY|TOKEN)\d*$/.test(name)) return 'likely'
  if (LIKELY.test(words)) return 'likely'
  return WEAK.test(words) ? 'weak' : undefined
}
