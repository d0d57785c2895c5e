import { createHash } from 'node:crypto'
import { basename, isAbsolute, join } from 'node:path'
import { readSideFile } from '../../native/file-head.ts'
import { asObject } from '../../native/narrow.ts'
import { oncePerRead } from '../../native/read-context.ts'
import { noteFile, subfolders } from '../../native/walk.ts'
import { readWhole } from '../../native/window.ts'
import { attempt } from '../../platform/error.ts'
import { ancestors } from '../_shared/ancestors.ts'
import { geminiRoot, tmpFolder } from './paths.ts'

/** Which project a folder below `tmp/` belongs to. */
export interface Projects {
  /** By slug or hash; null when nothing on this machine says so. */
  cwdOf(folder: string): string | null
  /** The slug folder into which Gemini has copied a folder named by a hash. */
  slugOf(hash: string): string | undefined
}

export function isHash(folder: string): boolean {
  return /^[0-9a-f]{64}$/.test(folder)
}

/** A hash is never decoded: it is compared with the hashes of all paths that Gemini or the caller names. */
export const projectsOf = oncePerRead((reading): Projects => {
  const root = geminiRoot(reading.io)
  const slugs = new Map<string, string>()
  const watched = (path: string): string => {
    noteFile(path, reading)
    return path
  }
  const registered = asObject(readSideFile(watched(join(root, 'projects.json')), reading).projects) ?? {}
  for (const [path, slug] of Object.entries(registered)) {
    if (typeof slug === 'string' && isPath(path)) slugs.set(slug, path)
  }
  for (const folder of subfolders(tmpFolder(reading.io), reading)) {
    if (typeof folder !== 'string' || isHash(folder)) continue
    const file = watched(join(tmpFolder(reading.io), folder, '.project_root'))
    const owner = attempt(() => readWhole(file, reading).toString('utf8').trim())
    if (owner !== undefined && isPath(owner)) slugs.set(folder, owner)
  }
  const hashes = new Map<string, { path: string; slug?: string }>()
  const trusted = Object.keys(readSideFile(watched(join(root, 'trustedFolders.json')), reading))
  for (const path of [...ancestors(reading.io.cwd), ...trusted]) hashes.set(projectHash(path), { path })
  for (const [slug, path] of slugs) hashes.set(projectHash(path), { path, slug })
  return {
    cwdOf: (folder) => slugs.get(folder) ?? hashes.get(folder)?.path ?? null,
    slugOf: (hash) => hashes.get(hash)?.slug,
  }
})

/** Anything else in the file is not the path of a project. */
function isPath(text: string): boolean {
  return isAbsolute(text) && text.length <= 4096 && !/[\r\n\0]/.test(text)
}

/** The name that Gemini gives the folder of a project, if no other project has it. */
export function slugFrom(path: string): string {
  const slug = basename(path)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  return slug || 'project'
}

/** The name of a project's folder before 0.33. */
export function projectHash(path: string): string {
  return createHash('sha256').update(path).digest('hex')
}
