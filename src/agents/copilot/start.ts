import { join, resolve } from 'node:path'
import { asArray } from '../../native/narrow.ts'
import { readSettings, settingsText } from '../../native/settings.ts'
import type { Io } from '../../platform/io.ts'
import { isWithin } from '../../platform/project.ts'
import { type InputBox, readInputBox, rowsAboveBox } from '../_shared/input-box.ts'
import { asPlainText } from '../_shared/prompt-command.ts'
import type { AgentCommand, Dialog, Preparation, Start, StartRequest } from '../start.ts'
import { readAnswer } from './answer.ts'
import { locksToRemove } from './live.ts'
import { paths } from './paths.ts'

const BOX: InputBox = { top: /^─{20,}/, prompt: /^[❯!] ?/, bottom: /^─{20,}/, below: /^ / }

export const start: Start = {
  // The oldest that works in every mode: 1.0.73 opens but does not send the prompt. See README.md.
  oldest: '1.0.85',
  newest: '1.0.102',
  sessionId: 'assigned',
  commandLine: {
    switches: ['--continue'],
    resume: ['--resume', '-r'],
    session: ['--session-id'],
    prompt: ['--prompt', '-p', '--interactive', '-i'],
  },
  cold: (request) => command(`--session-id=${request.session}`, request),
  warm: (request) => command(`--resume=${request.session}`, request),
  filesToBackUp: locksToRemove,
  dialogs,
  // Escape must be pressed twice, and not at once.
  interrupt: '\x03',
  readInput: (rows) => readInputBox(rows, BOX),
  readAnswer: (rows) => readAnswer(rowsAboveBox(rows, BOX)),
  screens: [
    {
      id: 'trust',
      pattern: /Confirm folder trust|Do you trust the files in this folder/,
      asks: 'asks whether you trust this folder',
    },
    { id: 'login', pattern: /Please use \/login to sign in/, asks: 'asks you to log in' },
    { id: 'in-use', pattern: /Session in use/, asks: 'says that the session is open in another process' },
  ],
  prepare: { trust },
}

/**
 * Without a terminal the prompt is stdin, exact and of any length, and with -s stdout has only the answer. In a terminal it
 * is the value of an option, in the same word. Ours come last: `--allow-tool` takes every word up to the next option. There
 * `/` begins a command of its own, and `!` one of the shell.
 */
function command(session: string, { headless, prompt, args }: StartRequest): AgentCommand {
  if (headless) return { args: [...args, '-s', session], ...(prompt ? { stdin: 'prompt' } : {}) }
  return { args: [...args, session, ...(prompt ? [`--interactive=${asPlainText(prompt.argument, /^[/!]/)}`] : [])] }
}

/** It may hold a login too; only the trusted folders are used. */
function configFile(io: Io): string {
  return join(paths(io)[0]!.path, 'config.json')
}

function dialogs({ cwd, io }: Pick<StartRequest, 'cwd' | 'io' | 'args'>): Dialog[] {
  const trusted = asArray(readSettings(configFile(io)).trustedFolders) ?? []
  if (trusted.some((folder) => typeof folder === 'string' && isWithin(cwd, resolve(folder)))) return []
  // It is documented to trust every folder then; not tested.
  const certain = io.env.COPILOT_ALLOW_ALL !== 'true'
  return [{ id: 'trust', asks: 'asks whether you trust this folder', certain }]
}

/** The comment lines at its start stay. */
function trust({ cwd, io }: Pick<StartRequest, 'cwd' | 'io'>): Preparation {
  const file = configFile(io)
  const config = readSettings(file)
  const trusted = asArray(config.trustedFolders) ?? []
  const sets = `${cwd} in trustedFolders`
  const text = settingsText(file)
  if (trusted.includes(cwd)) return { file, content: text, sets }
  const comments = /^(?:\s*\/\/.*\n)*/.exec(text)![0]
  const content = `${comments}${JSON.stringify({ ...config, trustedFolders: [...trusted, cwd] }, null, 2)}\n`
  return { file, content, sets }
}
