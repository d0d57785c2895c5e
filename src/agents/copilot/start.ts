import { isAbsolute, join, relative } from 'node:path'
import { asArray } from '../../native/narrow.ts'
import { readSettings, settingsText } from '../../native/settings.ts'
import type { Io } from '../../platform/io.ts'
import type { AgentCommand, Dialog, Preparation, Start, StartRequest } from '../start.ts'
import { paths } from './paths.ts'

export const start: Start = {
  // The oldest that was seen to work in every way: 1.0.73 opened, but did not send the prompt. README.md tells more.
  oldest: '1.0.85',
  newest: '1.0.102',
  sessionId: 'assigned',
  cold: (order) => command(`--session-id=${order.session}`, order),
  warm: (order) => command(`--resume=${order.session}`, order),
  dialogs,
  screens: [
    {
      id: 'trust',
      pattern: /Confirm folder trust|Do you trust the files in this folder/,
      asks: 'asks whether you trust this folder',
    },
    { id: 'login', pattern: /Please use \/login to sign in/, asks: 'asks you to log in' },
    { id: 'in-use', pattern: /Session in use/, asks: 'says that the session is open elsewhere' },
  ],
  prepare: { trust },
}

/**
 * Without a terminal the prompt goes by stdin, exact and of any length, and -s leaves the answer alone on stdout. In a
 * terminal it is the value of an option, in the same word. Ours come last: `--allow-tool` takes every word up to them.
 */
function command(session: string, { headless, prompt, args }: StartRequest): AgentCommand {
  if (headless) return { args: [...args, '-s', session], ...(prompt ? { stdin: 'prompt' } : {}) }
  return { args: [...args, session, ...(prompt ? [`--interactive=${prompt.argument}`] : [])] }
}

/** It may hold a login too; only the trusted folders are looked at. */
function configFile(io: Io): string {
  return join(paths(io)[0]!.path, 'config.json')
}

function dialogs({ cwd, io }: Pick<StartRequest, 'cwd' | 'io' | 'args'>): Dialog[] {
  const trusted = asArray(readSettings(configFile(io)).trustedFolders) ?? []
  if (trusted.some((folder) => typeof folder === 'string' && isWithin(cwd, folder))) return []
  // It is said to trust every folder then; that was not tried.
  const certain = io.env.COPILOT_ALLOW_ALL !== 'true'
  return [{ id: 'trust', asks: 'asks whether you trust this folder', certain }]
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way === '' || !(way.startsWith('..') || isAbsolute(way))
}

/** The comment lines at its head stay. */
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
