import { formatCount } from '../../platform/format-count.ts'
import { formTable } from './forms.ts'

/** Names for people, of what is not in the table of forms: singular, plural. */
const names: Readonly<Record<string, readonly [one: string, several: string]>> = {
  'aws-secret': ['AWS secret', 'AWS secrets'],
  'basic-auth': ['basic authentication', 'basic authentications'],
  'bearer-token': ['bearer token', 'bearer tokens'],
  cookie: ['cookie', 'cookies'],
  email: ['e-mail address', 'e-mail addresses'],
  'home-path': ['home path', 'home paths'],
  password: ['password of a command', 'passwords of commands'],
  'password-hash': ['password hash', 'password hashes'],
  'private-key': ['private key', 'private keys'],
  'recovery-code': ['list of recovery codes', 'lists of recovery codes'],
  secret: ['assigned secret', 'assigned secrets'],
  'seed-phrase': ['seed phrase', 'seed phrases'],
  signature: ['signature', 'signatures'],
  token: ['token', 'tokens'],
  'url-password': ['URL with a password', 'URLs with a password'],
  'user-name': ['user name', 'user names'],
  webhook: ['webhook URL', 'webhook URLs'],
}

/** `2 GitHub tokens`. */
export function describeFinding(kind: string, count: number): string {
  const label = formTable[kind]?.label
  const [one, several] =
    names[kind] ?? (label ? [label, `${label}s`] : [`secret of the kind ${kind}`, `secrets of the kind ${kind}`])
  return `${formatCount(count)} ${count === 1 ? one : several}`
}

/** Said with every shared document: no rule can find these. In full in docs/sharing.md. */
export const NOT_LOOKED_FOR = 'names, phone numbers, hosts, text in images'
