import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { attempt } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import type { DataPath } from '../agent.ts'

/** Where `cursor-agent` keeps its chats now: `CURSOR_CONFIG_DIR`, else `$XDG_CONFIG_HOME/cursor`, else `~/.cursor`. */
export function activeRoot(io: Io): string {
  const { CURSOR_CONFIG_DIR, XDG_CONFIG_HOME } = io.env
  if (CURSOR_CONFIG_DIR) return CURSOR_CONFIG_DIR
  return XDG_CONFIG_HOME ? join(XDG_CONFIG_HOME, 'cursor') : plainRoot(io)
}

/** Roots that may hold chats: the active one, and `~/.cursor`, where they were before a variable was set. */
export function roots(io: Io): string[] {
  return [...new Set([activeRoot(io), plainRoot(io)])]
}

/** Contains the transcripts. They stay in `~/.cursor` whatever moves the chats; `CURSOR_DATA_DIR` moves them. */
export function transcriptRoot(io: Io): string {
  return io.env.CURSOR_DATA_DIR || plainRoot(io)
}

/** Folders of transcripts: the current one, and those in the roots of chats. */
export function projectFolders(io: Io): string[] {
  const { CURSOR_DATA_DIR } = io.env
  const folders = CURSOR_DATA_DIR ? [CURSOR_DATA_DIR, ...roots(io)] : roots(io)
  return [...new Set(folders)].map((folder) => join(folder, 'projects'))
}

/**
 * The folders below `chats/` that may have the chats of a project: named by MD5, as is reported of the CLI, or by SHA-256, to
 * which the vendor's SDK has moved its own. Where OpenSSL has no MD5, only the second exists.
 */
export function chatsFolderNames(cwd: string): string[] {
  return ['md5', 'sha256'].flatMap((hash) => attempt(() => createHash(hash).update(cwd).digest('hex')) ?? [])
}

/** The folder below `projects/` of a project. The name of a longer path is cut and gets a hash that is not known. */
export function projectFolderName(cwd: string): string {
  return cwd.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '')
}

export function paths(io: Io): DataPath[] {
  const root = activeRoot(io)
  const env = ['CURSOR_CONFIG_DIR', 'XDG_CONFIG_HOME']
  return [
    { path: join(root, 'chats'), what: 'chats: store.db with its -wal, and meta.json', env },
    { path: join(root, 'acp-sessions'), what: 'sessions of editors over ACP', env },
    { path: projectFolders(io)[0]!, what: 'transcripts, without results and times', env: ['CURSOR_DATA_DIR'] },
  ]
}

/** Where chats are that were created before a variable was set. */
export function plainRoot(io: Io): string {
  return join(io.home, '.cursor')
}
