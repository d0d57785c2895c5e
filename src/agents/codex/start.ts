import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { asObject, asString, parsedObject } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { settingsText } from '../../native/settings.ts'
import { withTomlValue } from '../../native/toml.ts'
import type { Io } from '../../platform/io.ts'
import { projectOf } from '../../platform/project.ts'
import { readAnswerText } from '../_shared/answer-text.ts'
import { type InputBox, readInputBox, rowsAboveBox } from '../_shared/input-box.ts'
import { asPlainText } from '../_shared/prompt-command.ts'
import { isSince } from '../_shared/start.ts'
import type { ScreenAnswer, ScreenRow } from '../screen.ts'
import type { AgentCommand, Dialog, OutputEvent, Preparation, Refusal, Start, StartRequest } from '../start.ts'
import { databaseFolder } from './paths.ts'
import { findRollout, readMeta } from './rollout-file.ts'
import { configFile, isLoggedOut, providerOf, settings } from './settings.ts'

const BOX: InputBox = { prompt: /^[›!] (?!\d+\. )/, below: /^ {2}/ }
/** Entries with the mark of a text: the status of the turn, messages that wait, and calls that have no output below them. */
const NOT_SAID =
  /^• (?:.* \((?:\d+[hms] ?)+ • |Messages to be |Queued |Running |Calling |Search(?:ing|ed) the web|Waited for background |(?:Added|Deleted|Edited) .* \(\+\d+ -\d+\)$)/

export const start: Start = {
  // The oldest that was tested cold and warm, with and without a terminal.
  oldest: '0.100.0',
  newest: '0.166.0',
  // Of two that start at once in a fresh home, one says that its database is damaged and exits. The logs never rest.
  createsDatabases: (io) => ({ folder: databaseFolder(io), name: /^(?!logs_)\w+\.sqlite$/ }),
  sessionId: 'reported',
  commandLine: {
    subcommands: ['exec'],
    resumeSubcommands: ['resume'],
    switches: ['--last', '--all'],
    lastIsPrompt: {
      unlessValueOf: [
        '-m',
        '--model',
        '-c',
        '--config',
        '-p',
        '--profile',
        '-s',
        '--sandbox',
        '-a',
        '--ask-for-approval',
        '-C',
        '--cd',
        '--add-dir',
        '--enable',
        '--disable',
        '--local-provider',
      ],
      many: ['-i', '--image'],
    },
  },
  cold: (request) => command([], request),
  warm: (request) => command(['resume', request.session], request),
  parseOutputLine,
  preflight,
  dialogs,
  readInput: (rows) => readInputBox(rows, BOX),
  readAnswer,
  screens: [
    { id: 'trust', pattern: /Trust this folder\?/, asks: 'asks whether you trust this folder' },
    { id: 'login', pattern: /Sign in with ChatGPT/, asks: 'asks you to sign in' },
    { id: 'folder', pattern: /Working directory · resume/, asks: 'asks in which folder to work' },
    {
      id: 'in-use',
      pattern: /This conversation is open in another app/,
      asks: 'says that the session is open in another process',
    },
  ],
  storingDisabledBy: ({ args }) => args.find((arg) => arg === '--ephemeral'),
  prepare: {
    trust: ({ cwd, io }) => changeConfig(io, ['projects', projectOf(cwd)], 'trust_level', 'trusted'),
    folder: ({ io }) => changeConfig(io, ['tui'], 'resume_cwd', 'session'),
  },
}

/**
 * The user's arguments come before `resume`, where all of them are accepted; after it not all are. One of our options
 * follows, because `--image` takes every word up to the next option. What begins with `!` would run in the shell.
 */
function command(resume: readonly string[], { headless, prompt, args, version }: StartRequest): AgentCommand {
  if (headless) {
    // `-`: the prompt is stdin, exact and of any length. With a prompt as argument it would wait for an open stdin.
    return {
      args: ['exec', ...args, '--json', ...resume, ...(prompt ? ['-'] : [])],
      ...(prompt ? { stdin: 'prompt' } : {}),
      output: 'lines',
    }
  }
  // Since 0.156 a session in a terminal belongs to a background process, which stays and keeps it locked.
  const own = isSince('0.156.0', version) ? ['--no-daemon'] : []
  return { args: [...args, ...own, ...resume, ...(prompt ? ['--', asPlainText(prompt.argument, /^!/)] : [])] }
}

/** The mark of a text is faint; a coloured one is a call's. Below the end of a text there may be a tip. */
function readAnswer(rows: readonly ScreenRow[]): ScreenAnswer | undefined {
  const shown = rowsAboveBox(rows, BOX)
  // The prompt that the first rows belong to stays at the top.
  const conversation = shown[0] && BOX.prompt.test(shown[0].text) ? shown.slice(1) : shown
  return readAnswerText(conversation, {
    mark: /^• /,
    indent: /^ {2}(?!└ |>_ )/,
    prompt: BOX.prompt,
    output: /^ {2}└ (?!Tip: )/,
    isOther: ({ text, colour }) => (colour !== undefined && text.startsWith('• ')) || NOT_SAID.test(text),
  })
}

/** `item.completed` of type `error` is a warning; `error` is repeated as `turn.failed`, or is one of several attempts. */
function parseOutputLine(line: string): OutputEvent | undefined {
  const event = parsedObject(line)
  if (!event) return undefined
  const session = asString(event.thread_id)
  if (event.type === 'thread.started' && session !== undefined) return { session }
  const item = asObject(event.item)
  const text = asString(item?.text)
  if (event.type === 'item.completed' && item?.type === 'agent_message' && text !== undefined) return { text }
  const error = asString(asObject(event.error)?.message)
  return event.type === 'turn.failed' && error !== undefined ? { error: innerMessage(error) } : undefined
}

/** The service's message is often JSON in a string. */
function innerMessage(text: string): string {
  return asString(asObject(parsedObject(text)?.error)?.message) ?? text
}

/**
 * What would make the turn fail after the prompt was stored, so that it would count as sent. Only what is certain: Codex
 * itself refuses the rest with a clear message.
 */
function preflight(kind: 'cold' | 'warm', request: StartRequest, reading: ReadContext): Refusal | undefined {
  const { io, args, cwd, headless, session } = request
  const setting = settings(io)
  const provider = setting && providerOf(args, cwd, io, setting)
  if (!setting || provider === undefined) return undefined
  const path = kind === 'warm' ? findRollout(session, reading) : undefined
  const recorded = path && asString(readMeta(path, reading)?.payload.model_provider)
  if (recorded && recorded !== provider) {
    return {
      why: `the session was made with the provider ${recorded}, but Codex is set to ${provider} and would refuse to resume it`,
      hint: `add -- -c model_provider=${recorded}, or set model_provider in config.toml`,
    }
  }
  const key = setting('model_providers', provider, 'env_key')
  if (key !== undefined && !io.env[key]) {
    return { why: `${key} is not set, the key of the provider ${provider}`, hint: `set ${key}` }
  }
  // In a terminal it asks for the login, and the prompt waits.
  if (headless && isLoggedOut(provider, io, setting)) return { why: 'Codex is not logged in', hint: 'codex login' }
  return undefined
}

function dialogs({ cwd, io, args }: Pick<StartRequest, 'cwd' | 'io' | 'args'>): Dialog[] {
  const setting = settings(io)
  if (!setting) return []
  const found: Dialog[] = []
  if (isLoggedOut(providerOf(args, cwd, io, setting), io, setting)) {
    found.push({ id: 'login', asks: 'asks you to sign in', certain: true })
  }
  // It asks in repositories only, and stores the answer for the whole repository.
  const project = projectOf(cwd)
  const git = join(project, '.git')
  const isKnown = [cwd, project].some((folder) => setting('projects', folder, 'trust_level') !== undefined)
  if (existsSync(git) && !isKnown) {
    // The answer for a worktree is stored for its main repository.
    found.push({ id: 'trust', asks: 'asks whether you trust this folder', certain: statSync(git).isDirectory() })
  }
  return found
}

function changeConfig(io: Io, table: readonly string[], key: string, value: string): Preparation {
  const file = configFile(io)
  return { file, content: withTomlValue(settingsText(file), [...table, key], value), sets: `${key} of ${table.at(-1)}` }
}
