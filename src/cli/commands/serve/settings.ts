import { resolve } from 'node:path'
import type { Size } from '../../../host/screen.ts'
import { IonError } from '../../../platform/error.ts'
import type { Io } from '../../../platform/io.ts'
import type { Options } from '../../command.ts'

/** How a task is served, as flags and variables say. All of it is data: it travels to the process in the background. */
export interface ServeSettings {
  readonly host: string
  readonly port: number
  /** Nobody asked for that very port. */
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
  /** Undefined: the usual size. */
  readonly size: Size | undefined
  readonly initialPrompt: string | undefined
  readonly type: string | undefined
}

const PORT = 3284
const HOSTS = ['localhost', '127.0.0.1', '[::1]']
const ORIGINS = [3284, 3000, 3001].map((port) => `http://localhost:${port}`)
const USUAL: Size = { columns: 120, rows: 36 }

/** A flag beats its AGENTAPI_* variable. */
export function serveSettings(options: Options, io: Io): ServeSettings {
  const read = (name: string): string | undefined => {
    const flag = options[name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())]
    if (typeof flag === 'string') return flag
    if (flag === true) return 'true'
    return io.env[`AGENTAPI_${name.replaceAll('-', '_').toUpperCase()}`] || undefined
  }
  const list = (name: string, usual: readonly string[]): readonly string[] => {
    const isFlag = typeof options[name === 'allowed-hosts' ? 'allowedHosts' : 'allowedOrigins'] === 'string'
    const given = read(name)?.split(isFlag ? ',' : /\s+/)
    return given?.filter((one) => one !== '') ?? usual
  }
  const file = (name: string): string | undefined => {
    const path = read(name)
    return path === undefined ? undefined : resolve(io.cwd, path)
  }
  const host = typeof options.host === 'string' ? options.host : '127.0.0.1'
  const needsToken = options.token !== false
  if (!needsToken && !isLoopback(host)) {
    throw new IonError('usage', '--no-token is for this machine itself only', {
      hint: 'leave out --host or --no-token',
    })
  }
  const [width, height] = [read('term-width'), read('term-height')]
  const port = read('port')
  return {
    host,
    port: port === undefined ? PORT : wholeNumber('port', port, 0, 65_535),
    mayMove: port === undefined,
    chatBasePath: basePath(read('chat-base-path') ?? '/chat'),
    allowedHosts: checkedHosts(list('allowed-hosts', ownHosts(host))),
    allowedOrigins: checkedOrigins(list('allowed-origins', ORIGINS)),
    needsToken,
    tokenFile: typeof options.tokenFile === 'string' ? resolve(io.cwd, options.tokenFile) : undefined,
    stateFile: file('state-file'),
    loadsState: yes('load-state', read('load-state')),
    savesState: yes('save-state', read('save-state')),
    pidFile: file('pid-file'),
    size:
      width === undefined && height === undefined
        ? undefined
        : {
            columns: width === undefined ? USUAL.columns : wholeNumber('term-width', width, 10, 1000),
            rows: height === undefined ? USUAL.rows : wholeNumber('term-height', height, 10, 65_535),
          },
    initialPrompt: read('initial-prompt'),
    type: read('type'),
  }
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

/** Also by the address that it was given, unless that is any. */
function ownHosts(host: string): readonly string[] {
  const isAny = host === '0.0.0.0' || host === '::'
  return isAny || isLoopback(host) ? HOSTS : [...HOSTS, host.includes(':') ? `[${host}]` : host]
}

function wholeNumber(name: string, text: string, least: number, most: number): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= least && number <= most) return number
  throw new IonError('usage', `--${name} is a number from ${least} to ${most}, not "${text}"`, {
    hint: 'ion serve --help',
  })
}

function yes(name: string, text: string | undefined): boolean {
  if (text === undefined || /^(true|t|1)$/i.test(text)) return true
  if (/^(false|f|0)$/i.test(text)) return false
  throw new IonError('usage', `--${name} is true or false, not "${text}"`, { hint: `--${name}=false` })
}

function basePath(path: string): string {
  const trimmed = path.replace(/\/+$/, '')
  if (/^(\/[\w.~@-]+)*$/.test(trimmed) && !/\/\.{1,2}(\/|$)/.test(trimmed)) return trimmed
  throw new IonError('usage', `"${path}" is no path for the chat page`, { hint: '--chat-base-path /chat' })
}

function checkedHosts(hosts: readonly string[]): readonly string[] {
  for (const host of hosts) {
    const isName = host === '*' || /^\[[0-9a-f:.]+\]$/i.test(host) || /^[^\s,:/@]+$/.test(host)
    if (!isName)
      throw new IonError('usage', `"${host}" is no name of a host`, { hint: 'names alone, without http:// and port' })
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
      // It is told below.
    }
    throw new IonError('usage', `"${origin}" is no origin of a page`, { hint: '--allowed-origins https://example.com' })
  })
}
