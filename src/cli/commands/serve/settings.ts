import { resolve } from 'node:path'
import type { Size } from '../../../host/screen.ts'
import { DEFAULT_SIZE } from '../../../host/start.ts'
import { IonError } from '../../../platform/error.ts'
import type { Io } from '../../../platform/io.ts'
import type { OptionsOf } from '../../command.ts'
import type { serve } from '../../definitions/running.ts'

/** How a task is served, from flags and variables. Plain data, so that it can be sent to the background process. */
export interface ServeSettings {
  readonly host: string
  readonly port: number
  /** The port is the default: another one will do. */
  readonly mayMove: boolean
  readonly chatBasePath: string
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  readonly needsToken: boolean
  /** Undefined: in the task's folder. */
  readonly tokenFile: string | undefined
  readonly stateFile: string | undefined
  readonly loadsState: boolean
  readonly savesState: boolean
  readonly pidFile: string | undefined
  /** Undefined: the default size. */
  readonly size: Size | undefined
  readonly initialPrompt: string | undefined
  readonly type: string | undefined
}

const PORT = 3284
const HOSTS = ['localhost', '127.0.0.1', '[::1]']
const ORIGINS = [3284, 3000, 3001].map((port) => `http://localhost:${port}`)

export type ServeOptions = OptionsOf<typeof serve>

/** A flag takes precedence over its AGENTAPI_* variable. */
export function serveSettings(options: Partial<ServeOptions>, io: Io): ServeSettings {
  const read = (name: string): string | undefined => {
    const flag = options[name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()) as keyof ServeOptions]
    if (typeof flag === 'string') return flag
    if (flag === true) return 'true'
    return io.env[`AGENTAPI_${name.replaceAll('-', '_').toUpperCase()}`] || undefined
  }
  // Flags are separated by commas, variables by spaces.
  const list = (name: string, flag: string | undefined, fallback: readonly string[]): readonly string[] =>
    read(name)
      ?.split(flag === undefined ? /\s+/ : ',')
      .filter((one) => one !== '') ?? fallback
  const file = (name: string): string | undefined => {
    const path = read(name)
    return path === undefined ? undefined : resolve(io.cwd, path)
  }
  const host = options.host ?? '127.0.0.1'
  const needsToken = options.token !== false
  if (!needsToken && !isLoopback(host)) {
    throw new IonError('usage', '--no-token is only allowed on a loopback address', {
      hint: 'omit --host or --no-token',
    })
  }
  const [width, height] = [read('term-width'), read('term-height')]
  const port = read('port')
  return {
    host,
    port: port === undefined ? PORT : parseNumber('port', port, 0, 65_535),
    mayMove: port === undefined,
    chatBasePath: basePath(read('chat-base-path') ?? '/chat'),
    allowedHosts: checkedHosts(list('allowed-hosts', options.allowedHosts, ownHosts(host))),
    allowedOrigins: checkedOrigins(list('allowed-origins', options.allowedOrigins, ORIGINS)),
    needsToken,
    tokenFile: options.tokenFile === undefined ? undefined : resolve(io.cwd, options.tokenFile),
    stateFile: file('state-file'),
    loadsState: parseBoolean('load-state', read('load-state')),
    savesState: parseBoolean('save-state', read('save-state')),
    pidFile: file('pid-file'),
    size:
      width === undefined && height === undefined
        ? undefined
        : {
            columns: width === undefined ? DEFAULT_SIZE.columns : parseNumber('term-width', width, 10, 1000),
            rows: height === undefined ? DEFAULT_SIZE.rows : parseNumber('term-height', height, 10, 65_535),
          },
    initialPrompt: read('initial-prompt'),
    type: read('type'),
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

/** Includes the address that it listens on, unless that is the wildcard. */
function ownHosts(host: string): readonly string[] {
  const isAny = host === '0.0.0.0' || host === '::'
  return isAny || isLoopback(host) ? HOSTS : [...HOSTS, host.includes(':') ? `[${host}]` : host]
}

function parseNumber(name: string, text: string, min: number, max: number): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= min && number <= max) return number
  throw new IonError('usage', `invalid --${name} "${text}": expected a number from ${min} to ${max}`, {
    hint: 'ion serve --help',
  })
}

function parseBoolean(name: string, text: string | undefined): boolean {
  if (text === undefined || /^(true|t|1)$/i.test(text)) return true
  if (/^(false|f|0)$/i.test(text)) return false
  throw new IonError('usage', `invalid --${name} "${text}": expected true or false`, { hint: `--${name}=false` })
}

function basePath(path: string): string {
  const trimmed = path.replace(/\/+$/, '')
  if (/^(\/[\w.~@-]+)*$/.test(trimmed) && !/\/\.{1,2}(\/|$)/.test(trimmed)) return trimmed
  throw new IonError('usage', `invalid --chat-base-path "${path}"`, { hint: '--chat-base-path /chat' })
}

function checkedHosts(hosts: readonly string[]): readonly string[] {
  for (const host of hosts) {
    const isName = host === '*' || /^\[[0-9a-f:.]+\]$/i.test(host) || /^[^\s,:/@]+$/.test(host)
    if (!isName)
      throw new IonError('usage', `invalid host name "${host}"`, { hint: 'names only, without http:// and port' })
  }
  return hosts
}

function checkedOrigins(origins: readonly string[]): readonly string[] {
  return origins.map((origin) => {
    if (origin === '*') return origin
    try {
      const { protocol, host } = new URL(origin)
      if (host !== '') return `${protocol}//${host}`
    } catch {
      // Reported below.
    }
    throw new IonError('usage', `invalid origin "${origin}"`, { hint: '--allowed-origins https://example.com' })
  })
}
