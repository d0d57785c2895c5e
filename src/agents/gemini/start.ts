import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isProblem } from '../../events/item.ts'
import type { Reading } from '../../native/reading.ts'
import { asString } from '../../native/shape.ts'
import { filesIn } from '../../native/walk.ts'
import { compareVersions } from '../../platform/compare-versions.ts'
import { IonError } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import type { AgentCommand, Dialog, Keepsake, Order, Start, Told } from '../start.ts'
import { filesOfSession } from './groups.ts'
import { heads, sources } from './list.ts'
import { retention } from './retention.ts'
import {
  changed,
  readJson,
  setting,
  systemDefaultsFile,
  systemSettingsFile,
  userSettingsFile,
  withValue,
} from './settings.ts'
import { isTrusted, trustFile } from './trust.ts'

/** From the published packages: 0.40.1 has no option for it. */
const CHOOSES_ID = '0.41.2'

const RETENTION = 'general.sessionRetention.enabled'

export const start: Start = {
  // The oldest that was run. Before it sessions are named by hashes of folders.
  oldest: '0.33.0',
  newest: '0.61.0',
  naming: 'chosen',
  cold,
  warm: (order) => ({
    ...command(['--resume', order.session], order),
    ...(retention(order.io) ? { notes: [LATER_LOSS] } : {}),
  }),
  told,
  protect,
  obstacle,
  dialogs,
  screens: [
    { id: 'trust', pattern: /Do you trust the files in this folder/, asks: 'asks whether you trust this folder' },
    { id: 'auth', pattern: /How would you like to authenticate/, asks: 'asks how to log in' },
    { id: 'api-key', pattern: /Enter Gemini API Key/, asks: 'asks for an API key' },
    {
      id: 'editor',
      pattern: /Do you want to connect .+ to Gemini CLI/,
      asks: 'asks whether to connect to your editor',
    },
  ],
  prepare: {
    trust: ({ cwd, io }) => ({
      file: trustFile(io),
      sets: `TRUST_FOLDER of ${cwd}`,
      content: `${JSON.stringify({ ...readJson(trustFile(io)), [cwd]: 'TRUST_FOLDER' }, null, 2)}\n`,
    }),
    auth({ io }) {
      const type = authOfEnvironment(io)
      if (type === undefined) {
        throw new IonError('usage', 'no variable says how to log in', {
          hint: 'set GEMINI_API_KEY, GOOGLE_GENAI_USE_VERTEXAI or GOOGLE_GENAI_USE_GCA; or log in once with gemini',
        })
      }
      return prepared(io, 'security.auth.selectedType', type)
    },
    retention: ({ io }) => prepared(io, RETENTION, false),
  },
}

const LATER_LOSS =
  'started without Ion, Gemini deletes sessions that were resumed; "ion run gemini --prepare retention" turns that off'

function cold(order: Order): AgentCommand {
  if (order.version === undefined || compareVersions(order.version, CHOOSES_ID) >= 0) {
    return command(['--session-id', order.session], order)
  }
  // It tells its id only to programs; in a terminal its store is searched.
  const lines = order.headless ? ['--output-format', 'stream-json'] : []
  return { ...command(lines, order), ...(order.headless ? { output: 'lines' } : {}), naming: 'told' }
}

/** The prompt goes by stdin, exact and of any length; in a terminal it is one word with its option, so that dashes do no harm. */
function command(session: readonly string[], order: Order): AgentCommand {
  const { headless, prompt, args, io } = order
  const settings = join(order.folder, 'system-settings.json')
  return {
    args: [...session, ...args, ...(prompt && !headless ? [`--prompt-interactive=${unquoted(prompt.argument)}`] : [])],
    ...(prompt && headless ? { stdin: 'prompt' } : {}),
    env: {
      GEMINI_CLI_SYSTEM_SETTINGS_PATH: settings,
      // It stands beside the system settings, so that it moves with them unless it is named.
      GEMINI_CLI_SYSTEM_DEFAULTS_PATH: systemDefaultsFile(io),
    },
    files: [{ path: settings, content: keepingSettings(io) }],
  }
}

/** What the system settings say already, and that no session is deleted. */
function keepingSettings(io: Io): string {
  return `${JSON.stringify(withValue(readJson(systemSettingsFile(io)), RETENTION.split('.'), false), null, 2)}\n`
}

/** Gemini takes a pair of quotes around a value away; with a space behind them they are no pair. */
function unquoted(text: string): string {
  const isQuoted = text.length > 1 && /^["']/.test(text) && text.endsWith(text[0]!)
  return isQuoted ? `${text} ` : text
}

/** A line of `--output-format stream-json`. */
function told(line: string): Told | undefined {
  let record: Readonly<Record<string, unknown>>
  try {
    record = JSON.parse(line)
  } catch {
    return undefined
  }
  if (record.type === 'init') return { session: asString(record.session_id) ?? '' }
  if (record.type === 'message' && record.role === 'assistant') return { text: asString(record.content) ?? '' }
  return undefined
}

/** A resume leaves a second file, for which a later start of Gemini deletes the session with all its files. */
function* protect(kind: 'cold' | 'warm', { session }: Order, reading: Reading): Generator<Keepsake> {
  if (kind === 'cold') return
  for (const source of sources(reading)) {
    if (isProblem(source) || !source.path.includes(session.slice(0, 8))) continue
    for (const head of heads(source, reading)) {
      if (isProblem(head) || head.native_id !== session) continue
      for (const path of filesOfSession(head.path, session, reading)) yield { name: basename(path), path }
      const subAgents = join(dirname(head.path), session)
      for (const name of filesIn(subAgents, /\.jsonl$/, reading)) {
        if (typeof name === 'string') yield { name: `sub-agent-${name}`, path: join(subAgents, name) }
      }
    }
  }
}

/** In a terminal Gemini asks; without one it ends. */
function obstacle(_kind: 'cold' | 'warm', order: Order): { readonly why: string; readonly hint: string } | undefined {
  if (!order.headless) return undefined
  if (isTrusted(order) !== true && refusesUntrusted(order.version)) {
    return {
      why: `Gemini does not work without a terminal in a folder that it does not trust: ${order.cwd}`,
      hint: 'ion run gemini --prepare trust',
    }
  }
  if (!knowsHowToLogIn(order)) {
    return {
      why: 'Gemini is not logged in',
      hint: 'set GEMINI_API_KEY, or start gemini once and choose how to log in',
    }
  }
  return undefined
}

/** Older ones trust every folder when there is no terminal. */
function refusesUntrusted(version: string | undefined): boolean {
  return version === undefined || compareVersions(version, '0.40.1') >= 0
}

function dialogs(order: Pick<Order, 'cwd' | 'io' | 'args'>): Dialog[] {
  const found: Dialog[] = []
  if (isTrusted(order) === undefined) {
    found.push({ id: 'trust', asks: 'asks whether you trust this folder', certain: true })
  }
  if (setting(order.io, 'security.auth.selectedType') === undefined) {
    found.push({ id: 'auth', asks: 'asks how to log in', certain: true })
  }
  return found
}

/** A key may also stand in a `.env` file; these hold secrets and are not opened. */
function knowsHowToLogIn({ io, cwd }: Pick<Order, 'io' | 'cwd'>): boolean {
  if (setting(io, 'security.auth.selectedType') !== undefined || authOfEnvironment(io) !== undefined) return true
  return [...ancestors(cwd), io.home].some(
    (folder) => existsSync(join(folder, '.env')) || existsSync(join(folder, '.gemini', '.env')),
  )
}

function ancestors(path: string): string[] {
  const parent = dirname(path)
  return parent === path ? [path] : [path, ...ancestors(parent)]
}

function authOfEnvironment({ env }: Io): string | undefined {
  if (env.GOOGLE_GENAI_USE_GCA === 'true') return 'oauth-personal'
  if (env.GOOGLE_GENAI_USE_VERTEXAI === 'true') return 'vertex-ai'
  if (env.GEMINI_API_KEY) return 'gemini-api-key'
  return undefined
}

function prepared(io: Io, path: string, value: unknown): { file: string; content: string; sets: string } {
  const file = userSettingsFile(io)
  return { file, content: changed(file, path, value), sets: path }
}
