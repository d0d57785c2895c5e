import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { compareVersions } from '../../platform/compare-versions.ts'
import { IonError } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import type { AgentCommand, Dialog, Prompt, Start, StartRequest } from '../start.ts'
import { leftovers, protect } from './protect.ts'
import { changed, setting, userSettingsFile } from './settings.ts'
import { keepingSettings } from './system-settings.ts'
import { isTrusted, trustFile } from './trust.ts'

/** From the published packages: 0.40.1 has no option for it. */
const CHOOSES_ID = '0.41.2'

export const start: Start = {
  // The oldest that was run. Before it sessions are named by hashes of folders.
  oldest: '0.33.0',
  newest: '0.61.0',
  sessionId: 'assigned',
  cold,
  warm: (order) => command(['--resume', order.session], order),
  filesToBackUp: protect,
  filesToRemove: leftovers,
  preflight: obstacle,
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
      content: changed(trustFile(io), [cwd], 'TRUST_FOLDER'),
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
    retention: ({ io }) => prepared(io, 'general.sessionRetention.enabled', false),
  },
}

function cold(order: StartRequest): AgentCommand {
  const chooses = order.version === undefined || compareVersions(order.version, CHOOSES_ID) >= 0
  // Found by folder, time and prompt: only its JSON output would tell the id, and that in pieces.
  return chooses ? command(['--session-id', order.session], order) : { ...command([], order), sessionId: 'reported' }
}

/** The prompt goes by stdin, exact and of any length; in a terminal it is one word with its option, so that dashes do no harm. */
function command(session: readonly string[], order: StartRequest): AgentCommand {
  const { headless, prompt, args } = order
  const keeping = keepingSettings(order)
  return {
    args: [...session, ...args, ...(prompt && !headless ? typed(prompt) : [])],
    ...(prompt && headless ? { stdin: 'prompt' } : {}),
    ...keeping,
    // Otherwise the process that Ion knows only waits for another one, does not pass signals on, and leaves it alone when
    // it is killed. In a terminal it is that one which begins anew after some dialogs.
    ...(headless ? { env: { ...keeping.env, GEMINI_CLI_NO_RELAUNCH: 'true' } } : {}),
  }
}

/** A task that is in a file can be read only if the folder of prompts belongs to the workspace. */
function typed({ text, argument, file }: Prompt): string[] {
  const folder = argument === text ? [] : [`--include-directories=${dirname(file)}`]
  return [...folder, `--prompt-interactive=${unquoted(argument)}`]
}

/** Gemini takes a pair of quotes around a value away; with a space behind them they are no pair. */
function unquoted(text: string): string {
  const isQuoted = text.length > 1 && /^["']/.test(text) && text.endsWith(text[0]!)
  return isQuoted ? `${text} ` : text
}

/** In a terminal Gemini asks; without one it ends. */
function obstacle(
  _kind: 'cold' | 'warm',
  order: StartRequest,
): { readonly why: string; readonly hint: string } | undefined {
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

function dialogs(order: Pick<StartRequest, 'cwd' | 'io' | 'args'>): Dialog[] {
  const found: Dialog[] = []
  if (isTrusted(order) === undefined) {
    found.push({ id: 'trust', asks: 'asks whether you trust this folder', certain: true })
  }
  if (setting(order.io, 'security.auth.selectedType') === undefined) {
    found.push({ id: 'auth', asks: 'asks how to log in', certain: true })
  }
  return found
}

/** Also a file of the project may say it, or a `.env`; the latter hold secrets and are not opened. */
function knowsHowToLogIn({ io, cwd }: Pick<StartRequest, 'io' | 'cwd'>): boolean {
  if (setting(io, 'security.auth.selectedType') !== undefined || authOfEnvironment(io) !== undefined) return true
  const files = [...ancestors(cwd), io.home].flatMap((folder) => [
    join(folder, '.env'),
    join(folder, '.gemini', '.env'),
  ])
  return [join(cwd, '.gemini', 'settings.json'), ...files].some((file) => existsSync(file))
}

function ancestors(path: string): string[] {
  const parent = dirname(path)
  return parent === path ? [path] : [path, ...ancestors(parent)]
}

function authOfEnvironment({ env }: Io): string | undefined {
  if (env.GOOGLE_GENAI_USE_GCA === 'true') return 'oauth-personal'
  if (env.GOOGLE_GENAI_USE_VERTEXAI === 'true') return 'vertex-ai'
  if (env.GEMINI_API_KEY) return 'gemini-api-key'
  if (env.CLOUD_SHELL === 'true' || env.GEMINI_CLI_USE_COMPUTE_ADC === 'true') return 'compute-default-credentials'
  return undefined
}

function prepared(io: Io, path: string, value: unknown): { file: string; content: string; sets: string } {
  const file = userSettingsFile(io)
  return { file, content: changed(file, path.split('.'), value), sets: path }
}
