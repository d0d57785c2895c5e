import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { attempt, IonError, isMissing, messageOf } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { type CredentialEndpoint, credentialEndpoint } from './container-credentials.ts'
import { parseIni } from './ini.ts'
import type { Credentials } from './s3-signature.ts'

/** How to reach S3 and who asks, from the same variables and files as other S3 tools. */
export interface S3Settings {
  /** Themselves, or where to get them. */
  readonly credentials: Credentials | CredentialEndpoint
  readonly region: string
  /** Undefined for Amazon's own. */
  readonly endpoint: URL | undefined
}

const KEYS_IN_ENVIRONMENT = 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY'

/** Throws IonError. Variables come before the profile, and that before the container, as in Amazon's tools. */
export function s3Settings(io: Io): S3Settings {
  const { env } = io
  const profile = new Profile(io)
  const endpoint = env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL || profile.get('endpoint_url')
  return {
    credentials: credentialsOf(io, profile),
    // The one that Amazon's tools and other servers start from.
    region: env.AWS_REGION || env.AWS_DEFAULT_REGION || profile.get('region') || 'us-east-1',
    endpoint: endpoint ? endpointOf(endpoint) : undefined,
  }
}

function credentialsOf({ env }: Io, profile: Profile): Credentials | CredentialEndpoint {
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = env
  if (id && secret) return credentials(id, secret, token)
  if (id || secret) {
    const [present, absent] = id
      ? ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']
      : ['AWS_SECRET_ACCESS_KEY', 'AWS_ACCESS_KEY_ID']
    throw new IonError('usage', `${present} is set, but ${absent} is not`, {
      hint: `set ${absent}, or unset ${present}`,
    })
  }
  return profile.credentials(() => credentialEndpoint(env))
}

function credentials(accessKeyId: string, secretAccessKey: string, token: string | undefined): Credentials {
  return { accessKeyId, secretAccessKey, ...(token && { sessionToken: token }) }
}

/** What a profile uses instead of keys, for which Amazon's own tool is needed. */
const INDIRECT = ['credential_process', 'sso_session', 'sso_start_url', 'role_arn', 'web_identity_token_file']

/** A section of ~/.aws/credentials and ~/.aws/config. The former counts. */
class Profile {
  readonly #name: string
  readonly #isNamed: boolean
  readonly #files: readonly string[]
  readonly #values: ReadonlyMap<string, string>
  readonly #exists: boolean

  constructor({ env, home }: Io) {
    const named = env.AWS_PROFILE || env.AWS_DEFAULT_PROFILE
    this.#name = named || 'default'
    this.#isNamed = Boolean(named)
    const credentials = env.AWS_SHARED_CREDENTIALS_FILE || join(home, '.aws', 'credentials')
    const config = env.AWS_CONFIG_FILE || join(home, '.aws', 'config')
    this.#files = [credentials, config]
    const inConfig = sectionsOf(config)
    const found = [
      inConfig.get(this.#name === 'default' && inConfig.has('default') ? 'default' : `profile ${this.#name}`),
      sectionsOf(credentials).get(this.#name),
    ]
    this.#exists = found.some((section) => section !== undefined)
    this.#values = new Map(found.flatMap((section) => [...(section ?? [])]))
  }

  get(name: string): string | undefined {
    return this.#values.get(name)
  }

  /** `otherwise`: where else they may be, if there is no profile that has any. */
  credentials(otherwise: () => CredentialEndpoint | undefined): Credentials | CredentialEndpoint {
    const [id, secret] = [this.get('aws_access_key_id'), this.get('aws_secret_access_key')]
    if (id && secret) return credentials(id, secret, this.get('aws_session_token'))
    if (this.#isNamed && !this.#exists) {
      throw new IonError('usage', `there is no profile "${this.#name}" in ${this.#files.join(' and ')}`, {
        hint: `aws configure --profile ${this.#name}, or ${KEYS_IN_ENVIRONMENT}`,
      })
    }
    const indirect = INDIRECT.find((name) => this.get(name))
    if (indirect !== undefined) {
      throw new IonError('usage', `the profile "${this.#name}" gets its keys by ${indirect}, which Ion does not read`, {
        hint: `eval "$(aws configure export-credentials --profile ${this.#name} --format env)"`,
      })
    }
    const endpoint = otherwise()
    if (endpoint) return endpoint
    throw new IonError('usage', 'no credentials for S3 were found in the environment or in ~/.aws/credentials', {
      hint: `${KEYS_IN_ENVIRONMENT}, or AWS_PROFILE`,
    })
  }
}

function sectionsOf(file: string): ReturnType<typeof parseIni> {
  try {
    return parseIni(readFileSync(file, 'utf8'))
  } catch (error) {
    if (isMissing(error)) return new Map()
    throw new IonError('failed', `cannot read ${file}: ${messageOf(error)}`, {
      cause: error,
      hint: `check its permissions, or ${KEYS_IN_ENVIRONMENT}`,
    })
  }
}

function endpointOf(text: string): URL {
  const url = attempt(() => new URL(text))
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new IonError('usage', 'the endpoint of S3 is not a plain http:// or https:// address', {
      hint: 'AWS_ENDPOINT_URL_S3=https://s3.example.com',
    })
  }
  return url
}
