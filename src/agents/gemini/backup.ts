import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isProblem, type Problem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { type ReadContext, readContext } from '../../native/read-context.ts'
import { pathsBelow, stampOf } from '../../native/walk.ts'
import { attempt } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { type BackupSpec, type FilePart, pathBelow } from '../backup.ts'
import { describeFile } from './describe.ts'
import { filesOfSession } from './groups.ts'
import { geminiRoot, tmpFolder } from './paths.ts'
import { isHash, projectHash, projectsOf } from './projects.ts'

/**
 * The files of the session and of its sub-agents, its plans, the outputs of its tools, and the file that says which project
 * the folder belongs to: by it Gemini finds the folder. What a resume leaves behind is not copied: it makes Gemini delete
 * the session.
 */
export const backup: BackupSpec = {
  roots: (io) => ({ gemini: geminiRoot(io) }),
  files: {
    gemini: [
      /^tmp\/[a-z0-9-]+\/chats\/session-[^/]+\.jsonl?$/,
      /^tmp\/[a-z0-9-]+\/chats\/[\w-]+\/[^/]+\.jsonl$/,
      /^tmp\/[a-z0-9-]+\/checkpoint(-[^/]+)?\.json$/,
      /^tmp\/[a-z0-9-]+\/[\w-]+\/(plans|tracker|tasks)\/.+$/,
      /^tmp\/[a-z0-9-]+\/tool-outputs\/session-[\w-]+\/.+$/,
      /^tmp\/[a-z0-9-]+\/\.project_root$/,
    ],
  },
  mayBeLinks: ['tmp'],
  parts,
  place,
  rewrite: {
    fields: ['directories'],
    text: (path, text, move) => (path.endsWith('/.project_root') ? move(text) : text),
  },
}

function* parts(head: SessionHead, reading: ReadContext): Generator<FilePart | Problem> {
  for (const path of pathsOf(head, reading)) {
    if (isProblem(path)) yield path
    else yield file(path)
  }
  const folder = folderOf(head.path, reading)
  if (!isHash(folder)) yield { ...file(`tmp/${folder}/.project_root`), shared: true }
}

function* pathsOf(head: SessionHead, reading: ReadContext): Generator<string | Problem> {
  const root = geminiRoot(reading.io)
  const { path, native_id: native, cwd } = head
  const folder = folderOf(path, reading)
  if (head.parent_session || head.format === 'checkpoint') {
    yield pathBelow(root, path)
    return
  }
  yield* sessionFiles(path, native, reading)
  for (const of of ['chats/<>', '<>/plans', '<>/tracker', '<>/tasks', 'tool-outputs/session-<>']) {
    yield* pathsBelow(root, `tmp/${folder}/${of.replace('<>', native)}`, reading)
  }
  // A folder named by a hash that Gemini has copied still exists and would be found instead.
  if (cwd === null || isHash(folder)) return
  yield* sessionFiles(join(root, 'tmp', projectHash(cwd), 'chats', basename(path)), native, reading)
}

/** Those of its files that contain messages. One that cannot be read is left out too: Gemini treats it as damaged. */
function* sessionFiles(path: string, native: string, reading: ReadContext): Generator<string> {
  for (const one of filesOfSession(path, native, reading)) {
    const stamp = stampOf(one)
    if (stamp && (one === path || attempt(() => describeFile(stamp, reading).spoken))) {
      yield pathBelow(geminiRoot(reading.io), one)
    }
  }
}

/** The project's folder in `tmp/`. */
function folderOf(path: string, reading: ReadContext): string {
  return pathBelow(tmpFolder(reading.io), path).split('/')[0]!
}

function file(path: string): FilePart {
  return { kind: 'file', root: 'gemini', path, form: path.endsWith('.jsonl') ? 'lines' : 'whole' }
}

/** Gemini looks for a project's sessions only in the project's folder on this machine. */
function place(path: string, cwd: string, io: Io): string {
  const [tmp, folder = '', ...rest] = path.split('/')
  return [tmp, isHash(folder) ? projectHash(cwd) : slugFor(folder, cwd, io), ...rest].join('/')
}

/** The project's present slug; else the wanted one, with a number if another project has it. */
function slugFor(wanted: string, cwd: string, io: Io): string {
  const reading = readContext(io)
  const projects = projectsOf(reading)
  const owner = (slug: string): string | null => projects.cwdOf(slug) ?? historyOwner(slug, reading)
  if (owner(wanted) === cwd) return wanted
  const known = projects.slugOf(projectHash(cwd))
  if (known) return known
  let slug = wanted
  for (let n = 1; ![null, cwd].includes(owner(slug)); n++) slug = `${wanted}-${n}`
  return slug
}

/** Gemini checks there as well. */
function historyOwner(slug: string, { io }: ReadContext): string | null {
  const file = join(geminiRoot(io), 'history', slug, '.project_root')
  return attempt(() => readFileSync(file, 'utf8').trim()) ?? null
}
