import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withValue } from '../../native/settings.ts'
import { IonError } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { ancestors } from '../_shared/ancestors.ts'
import { readAnswerText } from '../_shared/answer-text.ts'
import { type InputBox, readInputBox, rowsAboveBox } from '../_shared/input-box.ts'
import { refuseCommand, SLASH_COMMAND } from '../_shared/prompt-command.ts'
import { changeSettings, isSince } from '../_shared/start.ts'
import type { AgentCommand, Dialog, Preparation, Prompt, Refusal, Start, StartRequest } from '../start.ts'
import { filesToBackUp, filesToRemove } from './safety-copies.ts'
import { isTrusted, setting, settingsWithoutRetention, trustFile, userSettingsFile } from './settings.ts'

/** Known from the published packages: 0.40.1 does not have the option. */
const ACCEPTS_ID = '0.41.2'

const BOX: InputBox = {
  top: /^[▄▀]{20,}/,
  prompt: /^ [>!*] ?/,
  bottom: /^[▄▀]{20,}/,
  below: /^ /,
  placeholder: /^Type your message/,
}

export const start: Start = {
  // The oldest that was tested. Older ones name project folders by hashes.
  oldest: '0.33.0',
  newest: '0.61.0',
  sessionId: 'assigned',
  commandLine: {
    resume: ['--resume', '-r'],
    session: ['--session-id'],
    prompt: ['--prompt-interactive', '-i', '--prompt', '-p'],
  },
  cold,
  warm: (request) => command(['--resume', request.session], request),
  filesToBackUp,
  filesToRemove,
  preflight,
  dialogs,
  readInput: (rows) => readInputBox(rows, BOX),
  // Calls in one row and hints at the right edge are as far to the right as the rows of a text.
  readAnswer: (rows) =>
    readAnswerText(rowsAboveBox(rows, BOX), {
      mark: /^✦ /,
      indent: /^ {2}(?![✓o⊶⊷?x-] {2}\S| {40})/,
      prompt: /^ [>!] /,
    }),
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
    trust: ({ cwd, io }) =>
      changeSettings(trustFile(io), `TRUST_FOLDER of ${cwd}`, (rules) => ({ ...rules, [cwd]: 'TRUST_FOLDER' })),
    auth({ io }) {
      const type = authOfEnvironment(io)
      if (type === undefined) {
        throw new IonError('usage', 'no variable says how to log in', {
          hint: 'set GEMINI_API_KEY, GOOGLE_GENAI_USE_VERTEXAI or GOOGLE_GENAI_USE_GCA; or log in once with gemini',
        })
      }
      return changeSetting(io, 'security.auth.selectedType', type)
    },
    retention: ({ io }) => changeSetting(io, 'general.sessionRetention.enabled', false),
  },
}

function cold(request: StartRequest): AgentCommand {
  // Otherwise found by folder, time and prompt: only its JSON output has the id, and that in pieces.
  return isSince(ACCEPTS_ID, request.version)
    ? command(['--session-id', request.session], request)
    : { ...command([], request), sessionId: 'reported' }
}

/** The prompt is stdin, exact and of any length; in a terminal it is in one word with its option, so dashes do no harm. */
function command(session: readonly string[], request: StartRequest): AgentCommand {
  const { headless, prompt, args } = request
  const retention = settingsWithoutRetention(request)
  return {
    args: [...session, ...args, ...(prompt && !headless ? typed(prompt) : [])],
    ...(prompt && headless ? { stdin: 'prompt' } : {}),
    ...retention,
    // Otherwise the process that Ion starts only waits for a second one, does not forward signals and leaves it running when
    // it is killed. In a terminal the second one is needed: it restarts after some dialogs.
    ...(headless ? { env: { ...retention.env, GEMINI_CLI_NO_RELAUNCH: 'true' } } : {}),
  }
}

/** Gemini can read a prompt in a file only if that folder belongs to the workspace. */
function typed({ text, argument, file }: Prompt): string[] {
  const folder = argument === text ? [] : [`--include-directories=${dirname(file)}`]
  return [...folder, `--prompt-interactive=${guardQuotes(argument)}`]
}

/** Gemini strips a pair of quotes around a value; a space after it prevents that. */
function guardQuotes(text: string): string {
  const isQuoted = text.length > 1 && /^["']/.test(text) && text.endsWith(text[0]!)
  return isQuoted ? `${text} ` : text
}

/** In a terminal Gemini asks; without one it exits. */
function preflight(_kind: 'cold' | 'warm', request: StartRequest): Refusal | undefined {
  const command = refuseCommand('Gemini', request.prompt, SLASH_COMMAND)
  if (command) return command
  if (!request.headless) return undefined
  // Older versions trust every folder when there is no terminal.
  if (isSince('0.40.1', request.version) && isTrusted(request) !== true) {
    return {
      why: `without a terminal Gemini works only in trusted folders: ${request.cwd}`,
      hint: 'ion run gemini --prepare trust',
    }
  }
  if (!knowsHowToLogIn(request)) {
    return {
      why: 'Gemini is not logged in',
      hint: 'set GEMINI_API_KEY, or start gemini once and choose how to log in',
    }
  }
  return undefined
}

function dialogs(request: Pick<StartRequest, 'cwd' | 'io' | 'args'>): Dialog[] {
  const found: Dialog[] = []
  if (isTrusted(request) === undefined) {
    found.push({ id: 'trust', asks: 'asks whether you trust this folder', certain: true })
  }
  if (setting(request.io, 'security.auth.selectedType') === undefined) {
    found.push({ id: 'auth', asks: 'asks how to log in', certain: true })
  }
  return found
}

/** A file of the project or a `.env` may say so too; a `.env` holds secrets and is not opened. */
function knowsHowToLogIn({ io, cwd }: Pick<StartRequest, 'io' | 'cwd'>): boolean {
  if (setting(io, 'security.auth.selectedType') !== undefined || authOfEnvironment(io) !== undefined) return true
  const files = [...ancestors(cwd), io.home].flatMap((folder) => [
    join(folder, '.env'),
    join(folder, '.gemini', '.env'),
  ])
  return [join(cwd, '.gemini', 'settings.json'), ...files].some((file) => existsSync(file))
}

function authOfEnvironment({ env }: Io): string | undefined {
  if (env.GOOGLE_GENAI_USE_GCA === 'true') return 'oauth-personal'
  if (env.GOOGLE_GENAI_USE_VERTEXAI === 'true') return 'vertex-ai'
  if (env.GEMINI_API_KEY) return 'gemini-api-key'
  if (env.CLOUD_SHELL === 'true' || env.GEMINI_CLI_USE_COMPUTE_ADC === 'true') return 'compute-default-credentials'
  return undefined
}

function changeSetting(io: Io, path: string, value: unknown): Preparation {
  return changeSettings(userSettingsFile(io), path, (settings) => withValue(settings, path.split('.'), value))
}
