import { lstatSync, readlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { ionHome } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import type { Finding, PlaceKind, Survival } from './finding.ts'
import { type OpenPath, userOf } from './in-use.ts'
import { isInside, leadsTo, physical, realFolder } from './inside.ts'
import { walkEntries, whatIs } from './measure.ts'
import { moduleBase, sharedTempNames } from './places.ts'

export interface Place {
  readonly kind: PlaceKind
  readonly name: string
  readonly path: string
  readonly survives: Survival
}

export type Judgement = Pick<Finding, 'action' | 'target' | 'reason'>

/** What migrate does with a place, and why. */
export function judge(place: Place, open: readonly OpenPath[], io: Io): Judgement {
  const { kind, name, path } = place
  if (kind === 'module-data') return stays('none', levelReason(name))
  if (kind === 'temp') return stays('leave', tempReason(name))
  if (kind === 'script-bin') return stays('leave', 'shared by all scripts and made anew at each start')
  const target = join(moduleBase(io), name)
  const what = whatIs(path)
  if (what === 'link') return judgeLink(path, target)
  if (what !== 'folder' && what !== 'empty folder') return stays('leave', 'is not a folder')
  if (kind === 'script-data' && what === 'empty folder') return stays('leave', 'nothing in it')
  if (!isMine(path)) return stays('leave', 'belongs to another user')
  const obstacle = targetObstacle(path, target, io) ?? obstacleIn(path, open)
  if (obstacle !== undefined) return { action: 'refuse', target, reason: obstacle }
  return { action: 'move', target, reason: moveReason(place) }
}

/** Why what is in a folder must not be moved now; undefined when it may. */
export function obstacleIn(path: string, open: readonly OpenPath[]): string | undefined {
  const user = userOf(path, open)
  if (user) return `in use by process ${user.pid} (${user.command})`
  const link = linkThatLeaves(path)
  return link === undefined ? undefined : `the relative link ${link} leads out of it and would break`
}

function stays(action: 'none' | 'leave', reason: string): Judgement {
  return { action, target: null, reason }
}

function judgeLink(path: string, target: string): Judgement {
  const text = readlinkSync(path)
  if (leadsTo(path, text, target)) return { action: 'none', target, reason: 'moved already' }
  return stays('leave', 'a link, which is not followed')
}

function targetObstacle(path: string, target: string, io: Io): string | undefined {
  const what = whatIs(target)
  if (what === 'folder') return 'the target is there and not empty'
  if (what !== 'missing' && what !== 'empty folder') return 'the target is there and no folder'
  const real = physical(path)
  if (isInside(realFolder(dirname(target)), real)) return 'the target would lie in it'
  if (isInside(realFolder(ionHome(io)), real)) return "Ion's own data is in it"
  return undefined
}

/** The first relative link in a folder that leads to something outside of it. */
function linkThatLeaves(root: string): string | undefined {
  for (const { path, name, stats } of walkEntries(root, true)) {
    if (name === '' || !stats.isSymbolicLink()) continue
    const text = readlinkSync(path)
    if (!text.startsWith('/') && !isInside(resolve(dirname(path), text), root)) return name
  }
  return undefined
}

/** On Windows everything in the home is. */
function isMine(path: string): boolean {
  const me = process.getuid?.()
  return me === undefined || lstatSync(path).uid === me
}

function moveReason({ kind, survives }: Place): string {
  if (kind === 'module-home') return 'lasts, but apart from all other modules'
  if (survives === 'no') return 'lost with the temp folder, and another one at each start'
  return 'another one at each start; this one stays behind'
}

function levelReason(name: string): string {
  return name.includes('/') ? 'in its place' : 'in its place; one level, where the registry has <namespace>/<module>'
}

function tempReason(name: string): string {
  const whose = sharedTempNames.includes(name) ? 'several modules write this name' : 'a fixed name in the temp folder'
  return `${whose}; made anew at each start, so only the module can change it`
}
