import { dirname, join } from 'node:path'
import { isProblem } from '../../events/item.ts'
import { tableNames, withNativeDatabase } from '../../native/database.ts'
import { asArray, asObject, asString } from '../../native/narrow.ts'
import { readSettings } from '../../native/settings.ts'
import { configHome } from '../../platform/home.ts'
import type { Io } from '../../platform/io.ts'
import { projectOf } from '../../platform/project.ts'
import { hasOption, refuseOptions } from '../_shared/start.ts'
import type { Refusal, StartRequest } from '../start.ts'
import { activeDatabase } from './paths.ts'
import { parseObject } from './records.ts'

const refusedOptions: Readonly<Record<string, string>> = {
  '--dir': 'leave it out, and start Ion in that folder',
  '--attach': 'leave it out: the sessions of another server are not in this store',
  '--fork': 'leave it out: each start would make another session',
  '--continue': 'leave it out: Ion resumes exactly the session of the task',
  '-c': 'leave it out: Ion resumes exactly the session of the task',
}

export function preflight(kind: 'cold' | 'warm', request: StartRequest): Refusal | undefined {
  const refusal = refuseOptions(request.args, refusedOptions)
  return refusal ?? (kind === 'warm' && request.prompt ? missingProvider(request) : undefined)
}

/**
 * A prompt goes to the model of the previous one. If that provider is no longer enabled it fails, but is stored, and would
 * be sent again with the next one.
 */
function missingProvider({ session, args, cwd, io }: StartRequest): Refusal | undefined {
  if (hasOption(args, '-m') || hasOption(args, '--model')) return undefined
  const provider = lastProvider(session, io)
  if (provider === undefined || isEnabled(provider, cwd, io)) return undefined
  return {
    why: `the session uses the provider ${provider}, which OpenCode's settings do not enable`,
    hint: 'choose a model of another provider: … -- --model <provider>/<model>',
  }
}

/** Of the last prompt; undefined when it is not known. */
function lastProvider(session: string, io: Io): string | undefined {
  const rows = withNativeDatabase(activeDatabase(io), (database) =>
    tableNames(database).has('message')
      ? database
          .prepare('SELECT data FROM message WHERE session_id = ? ORDER BY time_created DESC, id DESC LIMIT 50')
          .all(session)
      : [],
  )
  for (const row of rows) {
    if (isProblem(row)) return undefined
    const message = parseObject((row as { data: unknown }).data)
    if (message?.role === 'user') return asString(asObject(message.model)?.providerID)
  }
  return undefined
}

/** False only when a list says so: without one, every provider that has a key may be used. */
function isEnabled(provider: string, cwd: string, io: Io): boolean {
  // Settings in places that are not read here.
  if (io.env.OPENCODE_CONFIG_CONTENT || io.env.OPENCODE_CONFIG_DIR) return true
  try {
    const lists = settingsFiles(cwd, io).flatMap((file) => {
      const list = asArray(readSettings(file).enabled_providers)
      return list ? [list] : []
    })
    return lists.length === 0 || lists.some((list) => list.includes(provider))
  } catch {
    return true
  }
}

/** The user's settings, and those of each folder from here up to the project's top folder. */
function settingsFiles(cwd: string, io: Io): string[] {
  const folders = [join(configHome(io), 'opencode')]
  const top = projectOf(cwd)
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.push(folder, join(folder, '.opencode'))
    if (folder === top || folder === dirname(folder)) break
  }
  const own = io.env.OPENCODE_CONFIG ? [io.env.OPENCODE_CONFIG] : []
  return [...own, ...folders.flatMap((folder) => [join(folder, 'opencode.json'), join(folder, 'opencode.jsonc')])]
}
