import { formatCount } from '../../platform/format-count.ts'

/** One kind of secret or personal data. */
export interface Rule {
  /** Names the placeholder: `[redacted:github-token-1]`. */
  readonly id: string
  /**
   * Global. Its match is masked, except a group `keep` at its beginning. It must be linear on hostile text: a repetition is
   * bounded, or starts where the previous character is not of its class.
   */
  readonly pattern: RegExp
  /** A text without this string has no match; a cheap check. */
  readonly hint?: string
  /** The replacement, if not a numbered placeholder. */
  readonly mask?: string
  /** Recognised only by its context, so that it is masked everywhere once found. */
  readonly contextual?: true
}

/** Names for people: singular, plural. */
const names: Readonly<Record<string, readonly [one: string, several: string]>> = {
  '1password-token': ['1Password token', '1Password tokens'],
  'anthropic-key': ['Anthropic key', 'Anthropic keys'],
  'aws-key-id': ['AWS key id', 'AWS key ids'],
  'aws-secret': ['AWS secret', 'AWS secrets'],
  'azure-key': ['Azure key', 'Azure keys'],
  'basic-auth': ['URL with a password', 'URLs with a password'],
  'bearer-token': ['bearer token', 'bearer tokens'],
  'database-url': ['database URL', 'database URLs'],
  email: ['e-mail address', 'e-mail addresses'],
  'github-token': ['GitHub token', 'GitHub tokens'],
  'gitlab-token': ['GitLab token', 'GitLab tokens'],
  'google-key': ['Google key', 'Google keys'],
  'home-path': ['home path', 'home paths'],
  jwt: ['JSON web token', 'JSON web tokens'],
  'linear-key': ['Linear key', 'Linear keys'],
  'npm-token': ['npm token', 'npm tokens'],
  'openai-key': ['OpenAI key', 'OpenAI keys'],
  'private-key': ['private key', 'private keys'],
  secret: ['assigned secret', 'assigned secrets'],
  'sendgrid-key': ['SendGrid key', 'SendGrid keys'],
  'service-key': ['service key', 'service keys'],
  'shopify-key': ['Shopify key', 'Shopify keys'],
  'slack-token': ['Slack token', 'Slack tokens'],
  'stripe-key': ['Stripe key', 'Stripe keys'],
}

/** `2 GitHub tokens`. */
export function describeFinding(rule: string, count: number): string {
  const [one, several] = names[rule] ?? [`secret of the kind ${rule}`, `secrets of the kind ${rule}`]
  return `${formatCount(count)} ${count === 1 ? one : several}`
}
