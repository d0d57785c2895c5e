import { lstatSync, readlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { ionHome } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { isWithin } from '../platform/project.ts'
import type { Finding, PlaceKind, Survival } from './finding.ts'
import { type OpenPath, userOf } from './in-use.ts'
import { physical, pointsTo, resolveLinks } from './links.ts'
import { walkEntries, whatIs } from './measure.ts'
import { moduleBase, sharedTempNames } from './places.ts'

export interface Place {
  readonly kind: PlaceKind
  readonly name: string
  readonly path: string
  readonly survives: Survival
}

export type Judgement = Pick<Finding, 'action' | 'target' | 'reason'>

/** What migrate does with a location, and why. */
export function judge(place: Place, open: readonly OpenPath[], io: Io): Judgement {
  const { kind, name, path } = place
  if (kind === 'module-data') return stays('none', levelReason(name))
  if (kind === 'temp') return stays('leave', tempReason(name))
  if (kind === 'script-bin') return stays('leave', 'shared by all scripts and recreated at each start')
  const target = join(moduleBase(io), name)
  const what = whatIs(path)
  if (what === 'link') return judgeLink(path, target)
  if (what !== 'folder' && what !== 'empty folder') return stays('leave', 'is not a folder')
  if (kind === 'script-data' && what === 'empty folder') return stays('leave', 'empty')
  if (!isMine(path)) return stays('leave', 'belongs to another user')
  const obstacle = targetObstacle(path, target, io) ?? obstacleIn(path, open)
  if (obstacle !== undefined) return { action: 'refuse', target, reason: obstacle }
  return { action: 'move', target, reason: moveReason(place) }
}

/** Why the contents of a folder must not be moved now; undefined if they may. */
export function obstacleIn(path: string, open: readonly OpenPath[]): string | undefined {
  const user = userOf(path, open)
  if (user) return `in use by process ${user.pid} (${user.command})`
  const link = linkToOutside(path)
  return link === undefined ? undefined : `the relative link ${link} points outside the folder and would break`
}

function stays(action: 'none' | 'leave', reason: string): Judgement {
  return { action, target: null, reason }
}

function judgeLink(path: string, target: string): Judgement {
  const text = readlinkSync(path)
  if (pointsTo(path, text, target)) return { action: 'none', target, reason: 'already moved' }
  return stays('leave', 'is a link, which is not followed')
}

function targetObstacle(path: string, target: string, io: Io): string | undefined {
  const what = whatIs(target)
  if (what === 'folder') return 'the target exists and is not empty'
  if (what !== 'missing' && what !== 'empty folder') return 'the target exists and is not a folder'
  const real = physical(path)
  if (isWithin(resolveLinks(dirname(target)), real)) return 'the target would be inside it'
  if (isWithin(resolveLinks(ionHome(io)), real)) return "Ion's own data is in it"
  return undefined
}

/** The first relative link in a folder that points outside it. */
function linkToOutside(root: string): string | undefined {
  for (const { path, name, stats } of walkEntries(root, true)) {
    if (name === '' || !stats.isSymbolicLink()) continue
    const text = readlinkSync(path)
    if (!text.startsWith('/') && !isWithin(resolve(dirname(path), text), root)) return name
  }
  return undefined
}

/** Always true on Windows. */
function isMine(path: string): boolean {
  const me = process.getuid?.()
  return me === undefined || lstatSync(path).uid === me
}

function moveReason({ kind, survives }: Place): string {
  if (kind === 'module-home') return 'survives a restart, but is not with the other modules'
  if (survives === 'no') return 'in the temp folder, and a new one is created at each start'
  return 'a new one is created at each start; this one is orphaned'
}

function levelReason(name: string): string {
  return name.includes('/')
    ? 'in the right place'
    : 'in the right place; one level, the registry uses <namespace>/<module>'
}

function tempReason(name: string): string {
  const problem = sharedTempNames.includes(name) ? 'several modules use this name' : 'a fixed name in the temp folder'
  return `${problem}; recreated at each start, so only the module can change it`
}
