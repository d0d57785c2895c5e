import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { asString, parsedObject } from '../../native/narrow.ts'
import { settingsText } from '../../native/settings.ts'
import { IonError } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import type { AgentCommand, Dialog, OutputEvent, Preparation, Refusal, Start, StartRequest } from '../start.ts'
import { activeRoot, chatsFolderNames, projectFolderName, projectFolders } from './paths.ts'

/** Nothing here was measured: the program needs a login and the vendor's servers. README.md lists the reports it follows. */
export const start: Start = {
  // Versions are dates: the oldest and the newest for which others report what is used here.
  oldest: '2026.07.09',
  newest: '2026.10.01',
  sessionId: 'assigned',
  // An unknown id silently starts a chat with that id, so both are one command; Ion looks for the store first.
  commandLine: {
    switches: ['--continue', '--print', '-p'],
    resume: ['--resume'],
    lastIsPrompt: { unlessValueOf: ['-m', '--model', '-a', '--api-key', '--output-format', '--mode', '--workspace'] },
  },
  cold: command,
  warm: command,
  parseOutputLine,
  preflight,
  dialogs,
  screens: [
    { id: 'trust', pattern: /Workspace Trust Required/, asks: 'asks whether you trust this folder' },
    { id: 'login', pattern: /Not logged in|Press any key to log in/i, asks: 'asks you to log in' },
  ],
  prepare: { trust: ({ cwd, io }) => prepareTrust(cwd, io) },
}

/** In another folder than its own a chat starts from scratch, so the folder is passed too. */
function command({ session, headless, prompt, args, cwd }: StartRequest): AgentCommand {
  const chat = ['--resume', basename(session), '--workspace', cwd]
  if (headless) {
    const input = prompt ? ({ stdin: 'prompt' } as const) : {}
    if (args.some((word) => word.startsWith('--output-format'))) return { args: ['-p', ...chat, ...args], ...input }
    return { args: ['-p', '--output-format', 'stream-json', ...chat, ...args], ...input, output: 'lines' }
  }
  if (!prompt) return { args: [...chat, ...args] }
  return { args: [...chat, ...args, '--', prompt.argument], notes: [MAYBE_UNSENT] }
}

/** Reports differ. A prompt that was not sent is not in the store, so it stays pending. */
const MAYBE_UNSENT = 'some versions only put the prompt into the input line: press Enter if it is there'

/** A line of `--output-format stream-json`. The last one has the whole answer. */
function parseOutputLine(line: string): OutputEvent | undefined {
  const record = parsedObject(line)
  const session = asString(record?.session_id)
  if (record?.type === 'system' && session) return { session }
  if (record?.type !== 'result') return undefined
  const text = asString(record.result) ?? ''
  return record.is_error === true ? { error: text || 'the turn failed' } : { text }
}

function preflight(kind: 'cold' | 'warm', request: StartRequest): Refusal | undefined {
  const { session, headless, cwd, io } = request
  if (kind === 'warm' && !hasStore(basename(session), cwd, io)) {
    return {
      why: `Cursor CLI has no store of this chat for ${cwd} and would silently start another one`,
      hint: `ion show ${basename(session)}`,
    }
  }
  if (!isLoggedIn(request))
    return { why: 'Cursor CLI is not logged in', hint: 'cursor-agent login, or set CURSOR_API_KEY' }
  if (headless && isTrusted(request) === false) {
    return {
      why: `without a terminal Cursor CLI works only in trusted folders: ${cwd}`,
      hint: 'ion run cursor --prepare trust, or add -- --trust',
    }
  }
  return undefined
}

function hasStore(chat: string, cwd: string, io: Io): boolean {
  const chats = join(activeRoot(io), 'chats')
  return chatsFolderNames(cwd).some((folder) => existsSync(join(chats, folder, chat, 'store.db')))
}

/** On Linux the login is a file, whose existence is checked. Elsewhere it is in the key ring. */
function isLoggedIn({ io, args }: StartRequest): boolean {
  const { env, home, platform } = io
  if (platform !== 'linux' || env.CURSOR_API_KEY || args.some((word) => word.startsWith('--api-key'))) return true
  const folders = [activeRoot(io), join(env.XDG_CONFIG_HOME || join(home, '.config'), 'cursor'), join(home, '.cursor')]
  return folders.some((folder) => existsSync(join(folder, 'auth.json')))
}

/** Longer ones are not known: see `projectFolderName`. */
const LONGEST_NAME = 84

/** Written by the dialog and by `--trust`; undefined when its name is not known. */
function trustFile(cwd: string, io: Io): string | undefined {
  const name = projectFolderName(cwd)
  return name.length > LONGEST_NAME ? undefined : join(projectFolders(io)[0]!, name, '.workspace-trusted')
}

function isTrusted({ cwd, io, args }: Pick<StartRequest, 'cwd' | 'io' | 'args'>): boolean | undefined {
  if (args.some((word) => ['--trust', '--force', '-f', '--yolo'].includes(word))) return true
  const file = trustFile(cwd, io)
  return file === undefined ? undefined : existsSync(file)
}

function dialogs(request: Pick<StartRequest, 'cwd' | 'io' | 'args'>): Dialog[] {
  if (isTrusted(request) !== false) return []
  return [{ id: 'trust', asks: 'asks whether you trust this folder', certain: false }]
}

function prepareTrust(cwd: string, io: Io): Preparation {
  const file = trustFile(cwd, io)
  if (file === undefined) {
    throw new IonError('failed', 'the path of this folder is too long to know how Cursor CLI marks it as trusted', {
      hint: 'answer in cursor-agent itself',
    })
  }
  const mark = { trustedAt: io.now().toISOString(), workspacePath: cwd }
  return { file, content: settingsText(file) || `${JSON.stringify(mark, null, 2)}\n`, sets: `trust of ${cwd}` }
}
