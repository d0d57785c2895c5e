import { lastBefore } from './bounded.ts'
import type { Found } from './found.ts'
import { isDistinct, isMixed, isPlaceholder, isRandom, isSecretLike } from './values.ts'

/** What an option of a program holds: a secret, a user with one, or a secret only if it looks like one. */
type Holds = 'secret' | 'user:secret' | 'user,secret' | 'user%secret' | 'user/secret' | 'maybe' | 'glued'

/** Short options, whose letter means something else in every program. Long ones are judged by their name. */
const programs: readonly (readonly [programs: string, options: string, holds: Holds])[] = [
  ['curl|xh|https?|wget|rclone|svn|hub|restic|swaks|lynx', 'u|U|a|-user|-proxy-user', 'user:secret'],
  ['curl', 'b', 'maybe'],
  ['lftp', 'u', 'user,secret'],
  ['smbclient|rpcclient|smbmap|net|winexe|smbget|nmblookup', 'U', 'user%secret'],
  [
    'mysql|mysqldump|mysqladmin|mysqlimport|mysqlcheck|mariadb|mariadb-dump|mariadb-admin|mycli|xtrabackup|7z|7za|7zr|7zz|rar|unrar',
    'p',
    'glued',
  ],
  ['mysql|mysqldump|mysqladmin|mariadb|psql|mycli', 'p|W', 'maybe'],
  [
    'sshpass|docker|podman|helm|buildah|skopeo|nerdctl|oras|crane|az|mongo|mongosh|mongodump|mongorestore|mongoexport|mongoimport|twine|cqlsh|oc|argocd|cf|ibmcloud|influx|rdesktop|psexec|useradd|usermod|arangosh|cypher-shell|asadmin|jboss-cli|impala-shell|beeline|vncviewer|nxc|crackmapexec|evil-winrm|hydra|xfreerdp|jf|vsce|ovsx|expo|eas|altool|security|nuget|gradle|cscli|sqlmap|tsh|couchbase-cli|cbq|rabbitmqadmin|kinit',
    'p',
    'secret',
  ],
  ['redis-cli|keydb-cli|valkey-cli|snmpwalk|snmpget|snmpset', 'a|A|X|c', 'secret'],
  ['ldapsearch|ldapadd|ldapmodify|ldapdelete|ldapwhoami|ldappasswd|beeline|security|dsconf', 'w', 'secret'],
  [
    'sqlcmd|bcp|osql|zip|unzip|zipcloak|ipmitool|mosquitto_pub|mosquitto_sub|mosquitto_rr|fly|tsql|isql|db2|exasol|snowsql|knife',
    'P',
    'secret',
  ],
  ['plink|pscp|psftp|putty|kitty', 'pw', 'secret'],
  ['openssl|enc|ansible-vault|ccrypt|mcrypt|gpg', 'k|K', 'secret'],
  ['dotnet|nuget', 'k', 'maybe'],
  ['ssh-keygen', 'N|P', 'secret'],
  ['minisign|signify', 'W', 'secret'],
  ['ab|etcdctl|wrk|hey', 'A|a|-user', 'user:secret'],
  [
    'doctl|vercel|consul|nomad|glab|linode-cli|flyctl|hcloud|netlify|railway|cloudflared|codecov|ngrok|snyk|influx|cachix',
    't',
    'maybe',
  ],
  ['hydra|medusa|ncrack', 'p', 'secret'],
]

const patterns = programs.map(([names, options, holds]) => ({
  program: new RegExp(`(?:^|[\\s"'\`;|&(=/\\\\>$+#%@:-])(?:${names})(?:\\.exe)?[\\s"']`),
  option: new RegExp(`^-(?:${options})`),
  holds,
}))

const VALUE = /[ \t]{0,3}=?[ \t]{0,2}("[^"\n]{1,200}"|'[^'\n]{1,200}'|[^\s"'`;|&<>]{1,200})/y
const MAX_COMMAND = 600

/** The secret in a short option at `index`, where a blank and a dash are. */
export function optionAt(text: string, index: number): Found | undefined {
  const dash = text.indexOf('-', index)
  const from = Math.max(lastBefore(text, '\n', dash, MAX_COMMAND), dash - MAX_COMMAND, 0)
  const command = text.slice(from, dash)
  const option = text.slice(dash, dash + 14)
  for (const { program, option: pattern, holds } of patterns) {
    const match = pattern.exec(option)
    if (!match || !program.test(command)) continue
    const start = dash + match[0].length
    // `-pVALUE`, and not `-p VALUE`, which asks for it.
    if (holds === 'glued' ? /[\s=]/.test(text[start] ?? ' ') : holds === 'maybe' && !/[\s=]/.test(text[start] ?? ''))
      continue
    VALUE.lastIndex = start
    const value = VALUE.exec(text)?.[1]
    if (value === undefined) continue
    const found = secretIn(value, VALUE.lastIndex - value.length, holds)
    if (found) return found
  }
  return randomOption(text, dash)
}

const RANDOM_OPTION = /-[tkpasTKPASW][ \t]{1,3}["']?([\w-]{20,200})(?![\w.:/+-])/y

/** `./deploy.sh -t …`: of any program, if the value is random. */
function randomOption(text: string, dash: number): Found | undefined {
  RANDOM_OPTION.lastIndex = dash
  const value = RANDOM_OPTION.exec(text)?.[1]
  if (value === undefined || !isMixed(value) || !isRandom(value)) return undefined
  return { start: RANDOM_OPTION.lastIndex - value.length, end: RANDOM_OPTION.lastIndex, kind: 'password', learn: true }
}

const HERE_STRING = /<<<[ \t]{0,3}("[^"\n]{6,200}"|'[^'\n]{6,200}'|[^\s"'$;|&()]{8,200})/y

/** `gh auth login --with-token <<< …`. */
export function hereStringAt(text: string, index: number): Found | undefined {
  HERE_STRING.lastIndex = index
  const value = HERE_STRING.exec(text)?.[1]
  const command = text.slice(Math.max(lastBefore(text, '\n', index, 200), index - 200, 0), index)
  if (value === undefined || !/login|token|pass|luks|secret|auth|sudo/i.test(command)) return undefined
  const isQuoted = /^["']/.test(value)
  const content = isQuoted ? value.slice(1, -1) : value
  if (isPlaceholder(content) || !/\d|[!@#%^&*]/.test(content)) return undefined
  const start = HERE_STRING.lastIndex - value.length + (isQuoted ? 1 : 0)
  return { start, end: start + content.length, kind: 'password', learn: isDistinct(content) }
}

const DSN = /(?:^|[\s"'`=])[\w.-]{1,60}:([^\s"'`@]{3,100})$/

/** `root:…@tcp(db:3306)/shop`. */
export function dsnAt(text: string, index: number): Found | undefined {
  const before = text.slice(Math.max(0, index - 170), index)
  const value = DSN.exec(before)?.[1]
  if (value === undefined || isPlaceholder(value)) return undefined
  return { start: index - value.length, end: index, kind: 'password', learn: isDistinct(value) }
}

const SEPARATORS: Partial<Record<Holds, string>> = {
  'user:secret': ':',
  'user,secret': ',',
  'user%secret': '%',
  'user/secret': '/',
}

function secretIn(value: string, at: number, holds: Holds): Found | undefined {
  const isQuoted = /^["']/.test(value)
  let [start, end] = isQuoted ? [at + 1, at + value.length - 1] : [at, at + value.length]
  let content = value.slice(start - at, end - at)
  const separator = SEPARATORS[holds]
  if (separator) {
    const place = content.indexOf(separator)
    // `-u token:` and `-u token` hold a secret, too, if it looks like one.
    if (place < 0 || place === content.length - 1) {
      const user = place < 0 ? content : content.slice(0, -1)
      return isSecretLike(user) && !user.includes('@')
        ? { start, end: start + user.length, kind: 'password', learn: true }
        : undefined
    }
    start += place + 1
    content = content.slice(place + 1)
  }
  if (content.startsWith('pass:')) {
    start += 5
    content = content.slice(5)
  }
  if (!isQuoted) {
    content = content.replace(/[),]+$/, '')
    end = start + content.length
  }
  if (content.length < 3 || isPlaceholder(content) || content.startsWith('-') || /^\d{1,5}(?::\d{1,5})?$/.test(content))
    return undefined
  if (holds === 'maybe' && !isSecretLike(content) && !/^[\w.]+=\S{8,}/.test(content)) return undefined
  return { start, end, kind: 'password', learn: isDistinct(content) }
}

/** Programs and statements that take a secret without an option. The group is the secret. */
const phrases: readonly RegExp[] = [
  /\bpass(?:in|out)?[ \t]+pass:("[^"\n]+"|'[^'\n]+'|[^\s"';|]+)/y,
  /\bhtpasswd[ \t]+(?:-\w*b\w*)[ \t]+\S+[ \t]+\S+[ \t]+("[^"\n]+"|'[^'\n]+'|[^\s"';|]+)/y,
  /\brabbitmqctl[ \t]+(?:add_user|change_password|authenticate_user)[ \t]+\S+[ \t]+("[^"\n]+"|'[^'\n]+'|[^\s"';|]+)/y,
  /\bnet[ \t]+user[ \t]+\S+[ \t]+("[^"\n]+"|[^\s"'/*][^\s"']*)/iy,
  /\bsqlplus[ \t]+(?:-\w+[ \t]+)*["']?[\w.]+\/("[^"\n]+"|[^\s"'@]+)/y,
  /\b(?:impdp|expdp|sqlldr|rman)[ \t]+(?:\w+=)?[\w.]+\/([^\s"'@]+)/y,
  /\bvault[ \t]+login[ \t]+(?:-[\w-]+(?:=\S+)?[ \t]+)*([^\s"'-][^\s"']{7,})/y,
  /\bvault[ \t]+(?:operator[ \t]+)?unseal[ \t]+(?:-[\w-]+(?:=\S+)?[ \t]+)*([^\s"'-][^\s"']{7,})/y,
  /\bwpa_passphrase[ \t]+(?:"[^"\n]+"|\S+)[ \t]+("[^"\n]+"|'[^'\n]+'|[^\s"';|]+)/y,
  /\bidentified[ \t]+(?:with[ \t]+\S+[ \t]+)?by[ \t]+(?:password[ \t]+)?("[^"\n]+"|'[^'\n]+'|(?=\S*\d)[^\s"'`;)]+)/iy,
  /\bfrom-literal[= \t]+["']?[\w.-]+=("[^"\n]+"|'[^'\n]+'|[^\s"';|]+)/y,
  /\bConvertTo-SecureString[ \t]+(?:-String[ \t]+)?("[^"\n]+"|'[^'\n]+')/iy,
  /\bPSCredential[ \t]*\(?["'][^"'\n]+["'][ \t]*,[ \t]*("[^"\n]+"|'[^'\n]+')/iy,
  /\becho[ \t]+(?:-n[ \t]+|-e[ \t]+)?["']?[\w.-]+:([^\s"'|]+)["']?[ \t]*\|[ \t]*(?:sudo[ \t]+)?chpasswd/y,
  /\becho[ \t]+(?:-n[ \t]+)?("[^"\n]+"|'[^'\n]+'|[^\s"';|]+)[ \t]*\|[ \t]*(?:sudo[ \t]+-S|[^\n|]{0,200}(?:--?pass(?:word)?-stdin|--with-token|--stdin|base64\b|secrets? (?:put|set|add|create|versions)|env add|variable set|passwd\b|login\b))/y,
  /\bprintf[ \t]+["']?(?:%s["']?[ \t]+)?("[^"\n]+"|'[^'\n]+'|[^\s"';|]+)[ \t]*\|[ \t]*[^\n|]{0,200}(?:--?pass(?:word)?-stdin|--with-token|base64\b|vault write|secret (?:put|set|create|versions))/y,
  /\b(?:gh|glab|wrangler|fly|flyctl|doppler|heroku|vercel)[ \t]+(?:secrets?|variable|config:set|env)[ \t]+(?:set|add|put|create)[ \t]+[\w-]+[ \t]+(?:--?b(?:ody)?|-v|--value)[= \t]*("[^"\n]+"|'[^'\n]+'|[^\s"';|]+)/y,
  /\b(?:flyctl|fly|heroku|doppler)[ \t]+(?:secrets[ \t]+set|config:set)[ \t]+(?:-\S+[ \t]+\S+[ \t]+)*[\w-]+=("[^"\n]+"|'[^'\n]+'|[^\s"';|]+)/y,
  /\baws[ \t]+configure[ \t]+set[ \t]+(?:[\w.-]*)(?:secret|token|key)[\w.-]*[ \t]+("[^"\n]+"|'[^'\n]+'|[^\s"';|]{12,})/y,
  /\b(?:npm|yarn|pnpm)[ \t]+config[ \t]+set[ \t]+\S*(?:_authToken|_password|_auth|npmAuthToken)[= \t]+("[^"\n]+"|'[^'\n]+'|[^\s"';|]{6,})/y,
  /\b(?:git[ \t]+config|composer[ \t]+config|poetry[ \t]+config|pip[ \t]+config[ \t]+set|bundle[ \t]+config(?:[ \t]+set)?|gem[ \t]+\w+)[ \t][^\n]{0,80}?(?:token|oauth|http-basic|contribsys|password|pypi-token)\S*[ \t]+(?:\S+[ \t]+)?("[^"\n]+"|'[^'\n]+'|[^\s"';|]{8,})/y,
  /\b(?:authtoken|add-authtoken)[ \t]+("[^"\n]+"|'[^'\n]+'|[^\s"';|]{12,})/y,
  /\bAUTH[ \t]+(?:default[ \t]+)?("[^"\n]{6,}"|'[^'\n]{6,}'|[^\s"';|]{8,})(?=[ \t]*(?:\r?\n|$|\\))/y,
  /\bsecurity[ \t]+add-\w+-password[ \t][^\n]{0,200}?-w[ \t]+("[^"\n]+"|'[^'\n]+'|[^\s"';|]+)/y,
  /\bjdbc:oracle:\w+:[\w.]+\/([^\s"'@]+)(?=@)/y,
  /\bdigest[ \t][^\n]{0,400}?\bresponse="?([0-9a-f]{32,64})/iy,
  /\bsnmp-server[ \t]+community[ \t]+(\S+)/y,
  /\b(?:key>)?\w*(?:password|secret|token|passphrase|apikey)<\/key>[\s+]{0,40}<string>([^<]{4,400})<\/string>/iy,
  /\bcmdkey[ \t][^\n]{0,200}?\/pass:("[^"\n]+"|[^\s"']+)/iy,
  /\bxfreerdp[ \t][^\n]{0,200}?\/p:("[^"\n]+"|'[^'\n]+'|[^\s"']+)/y,
  /\bmc[ \t]+(?:alias|config host)[ \t]+(?:set|add)[ \t]+\S+[ \t]+\S+[ \t]+\S+[ \t]+("[^"\n]+"|'[^'\n]+'|[^\s"';|]+)/y,
  /\bvault[ \t]+(?:kv[ \t]+)?(?:put|write|patch)[ \t]+(?:-\S+[ \t]+)*\S+[ \t]+[\w.-]+=("[^"\n]+"|'[^'\n]+'|[^\s"';|]+)/y,
  /\bnet[ \t]+use[ \t][^\n]{0,120}?\/user:\S+[ \t]+("[^"\n]+"|'[^'\n]+'|[^\s"';|]+)/iy,
  /\bbw[ \t]+(?:unlock|login[ \t]+\S+)[ \t]+("[^"\n]+"|'[^'\n]+'|[^\s"';|]+)/y,
  /\bcredentials?[ \t]*[:=][ \t]*[\w.@-]{2,40}[ \t]*\/[ \t]*(\S{6,100})/iy,
  /\bjwt\.(?:sign|verify|encode|decode)\([ \t\n]{0,20}[^,()\n]{1,80},[ \t\n]{0,20}("[^"\n]+"|'[^'\n]+'|`[^`\n]+`)/y,
  /\bcreateHmac\([ \t\n]{0,20}["'`][\w-]+["'`],[ \t\n]{0,20}("[^"\n]+"|'[^'\n]+'|`[^`\n]+`)/y,
  /\bhmac\.new\([ \t\n]{0,20}b?("[^"\n]+"|'[^'\n]+'|`[^`\n]+`)/y,
  /\bauth[ \t]*=[ \t]*\([ \t]*["'][^"'\n]{1,80}["'][ \t]*,[ \t]*("[^"\n]+"|'[^'\n]+'|`[^`\n]+`)/y,
  /\b(?:credentials\.)?(?:HTTPBasicAuth|[a-z]*BasicAuth|basic|login|UsernamePasswordCredentials|PasswordAuthentication|NetworkCredential)\([ \t\n]{0,20}["'][^"'\n]{1,80}["'][ \t]*,[ \t\n]{0,20}("[^"\n]+"|'[^'\n]+'|`[^`\n]+`)[ \t\n]{0,20}[),]/iy,
  /\bgetConnection\([^,\n]{1,200},[ \t\n]{0,20}["'][^"'\n]{0,80}["'][ \t]*,[ \t\n]{0,20}("[^"\n]+"|'[^'\n]+'|`[^`\n]+`)/y,
  /\b(?:mysqli|mysqli_connect|mysql_connect|PDO|Sequelize)\([^,\n]{1,200},[^,\n]{1,100},[ \t\n]{0,20}("[^"\n]+"|'[^'\n]+'|`[^`\n]+`)/y,
  /\bWallet\([ \t\n]{0,20}["'](?:0x)?([0-9a-fA-F]{64})["']/y,
  /\baccounts["']?[ \t]*[:=][ \t]*\[[ \t\n]{0,20}["'](?:0x)?([0-9a-fA-F]{64})["']/y,
  /(?:contraseñ?n?a|mot de passe|senha|parola|wachtwoord|kennwort|has[łl]o|пароль|密码|密碼|パスワード|비밀번호)[ \t]*[:：=][ \t]*["'`]?([^\s"'`,;]{4,80})/iy,
  /\b(?:pin|2fa|otp|mfa|verification|security|confirmation|login)[ _-]codes?[ \t]*(?:is|:|=)[ \t]*["'`]?(\d{4,8})(?!\w)/iy,
  /\bapp[ -]passwords?[ \t]*(?:is|:|=)[ \t]*["'`]?((?:[a-z]{4} ){3}[a-z]{4})(?!\w)/iy,
  /\bFernet\([ \t]*b?("[^"\n]+"|'[^'\n]+'|`[^`\n]+`)/y,
  /\bAES\.new\([ \t]*b?("[^"\n]+"|'[^'\n]+'|`[^`\n]+`)/y,
  /\bcookieParser\([ \t]*("[^"\n]+"|'[^'\n]+'|`[^`\n]+`)/y,
  /\bcreate(?:C|Dec)ipheriv\([ \t\n]{0,20}["'`][\w-]+["'`],[ \t\n]{0,20}("[^"\n]+"|'[^'\n]+'|`[^`\n]+`)/y,
  /\busername["'][ \t]{0,4}:[ \t]{0,4}["'][^"'\n]{1,80}["'],[ \t\n]{0,20}["']key["'][ \t]{0,4}:[ \t]{0,4}["']([0-9a-f]{32,64})["']/y,
  /\bencrypt_string[ \t]+("[^"\n]+"|'[^'\n]+'|`[^`\n]+`)/y,
  /\bset-cookie2?["']?[ \t]*[:,][ \t]*["']?[^\s=;"']{1,80}=([^\s;"',]{6,4000})/iy,
  /\bcookie["']?[ \t]*[:,][ \t]*["']?((?:[^\s=;"':]{1,80}=[^\s;"']{1,4000})(?:;[ \t]?[^\s=;"']{1,80}=[^\s;"']{0,4000}){0,50})/iy,
]

export const PHRASE_STEMS = [
  'passin',
  'passout',
  'htpasswd',
  'rabbitmqctl',
  'net user',
  'sqlplus',
  'impdp',
  'expdp',
  'vault ',
  'wpa_passphrase',
  'identified',
  'from-literal',
  'convertto-securestring',
  'pscredential',
  'echo ',
  'printf',
  'gh secret',
  'glab ',
  'wrangler',
  'fly ',
  'flyctl',
  'doppler ',
  'heroku ',
  'vercel ',
  'aws configure',
  'npm config',
  'yarn config',
  'pnpm config',
  'git config',
  'composer config',
  'poetry config',
  'pip config',
  'bundle config',
  'authtoken',
  'add-authtoken',
  'auth ',
  'security add',
  'jdbc:oracle',
  'digest ',
  'snmp-server',
  'key>',
  'cmdkey',
  'xfreerdp',
  'set-cookie',
  'cookie',
  'mc alias',
  'mc config host',
  'net use',
  'bw unlock',
  'bw login',
  'credential',
  'jwt\\.',
  'createhmac',
  'hmac\\.new',
  'httpbasicauth',
  'basicauth',
  'setbasicauth',
  'basic\\(',
  'login\\(',
  'usernamepasswordcredentials',
  'passwordauthentication',
  'networkcredential',
  'getconnection',
  'mysqli',
  'mysql_connect',
  'pdo\\(',
  'sequelize\\(',
  'wallet\\(',
  'accounts',
  'contrase',
  'mot de passe',
  'senha',
  'parola',
  'wachtwoord',
  'kennwort',
  'has[łl]o',
  'пароль',
  '密码:',
  '密码：',
  'パスワード',
  '비밀번호',
  'pin code',
  'pin_code',
  '2fa code',
  'otp code',
  'mfa code',
  'verification code',
  'security code',
  'confirmation code',
  'login code',
  'app password',
  'app-password',
  'fernet\\(',
  'aes\\.new',
  'cookieparser',
  'createcipheriv',
  'createdecipheriv',
  'username',
  'encrypt_string',
  'auth=',
] as const

const indexed = phrases.map(({ source, flags }) => new RegExp(source, `${flags}d`))

/** The secret in a command or statement whose first word is at `index`. */
export function phraseAt(text: string, index: number): Found | undefined {
  for (const pattern of indexed) {
    pattern.lastIndex = index
    const match = pattern.exec(text)
    if (!match) continue
    const value = match[1]!
    const isQuoted = /^["']/.test(value) && value.length > 2
    const content = isQuoted ? value.slice(1, -1) : value
    const isCookie = pattern.source.includes('cookie')
    if (
      content.length < 4 ||
      isPlaceholder(content) ||
      (isCookie && (!/\d/.test(content) || /\$$|\$\{/.test(content) || text[match.indices![1]![1]] === '{'))
    )
      continue
    const start = match.indices![1]![0] + (isQuoted ? 1 : 0)
    const learn = isDistinct(content) && !isCookie
    return { start, end: start + content.length, kind: isCookie ? 'cookie' : 'password', learn }
  }
  return undefined
}
