import { lstatSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import type { Io } from '../platform/io.ts'
import { tryListNames } from '../platform/list-dir.ts'
import { isWithin } from '../platform/project.ts'
import type { Finding, PlaceKind, Survival } from './finding.ts'
import { openPaths } from './in-use.ts'
import { judge, type Place } from './judge.ts'
import { physical, resolveLinks } from './links.ts'
import { linkAt, measure } from './measure.ts'
import { UNFINISHED_MOVE } from './move.ts'
import {
  fixedTempNames,
  moduleBase,
  nameOfModuleHome,
  oddHomes,
  SCRIPT_DATA,
  scriptDataBases,
  sharedTempNames,
  tempFolder,
} from './places.ts'

/** Every location where a module stores data. Lists and stats only: opens no file, follows no link. */
export function audit(io: Io): Finding[] {
  const open = openPaths()
  return places(io).map((place) => findingOf(place, judge(place, open, io)))
}

function findingOf(place: Place, judged: Pick<Finding, 'action' | 'target' | 'reason'>): Finding {
  const { kind, name, path, survives } = place
  const { bytes, files, updatedAt } = measure(path)
  return { kind, name, path, survives, bytes, files, updated_at: updatedAt, link: linkAt(path), ...judged }
}

/** All locations without measuring them; the candidates for migrate. */
export function places(io: Io): Place[] {
  return [...moduleHomes(io), ...scriptData(io), ...tempNames(io), ...moduleData(io)]
}

function moduleHomes(io: Io): Place[] {
  const named = namesIn(io.home).flatMap((entry) => {
    const name = nameOfModuleHome(entry)
    return name === undefined ? [] : [placeAt('module-home', name, join(io.home, entry), io)]
  })
  const odd = Object.entries(oddHomes).flatMap(([below, name]) => {
    const path = join(io.home, below)
    // A parent folder may be a link to outside the home.
    const isInHome = statsOf(path) && isWithin(physical(path), resolveLinks(io.home))
    return isInHome ? [placeAt('module-home', name, path, io)] : []
  })
  return [...named, ...odd]
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function scriptData(io: Io): Place[] {
  return scriptDataBases(io).flatMap((base) => {
    const folder = join(base, SCRIPT_DATA)
    // In a shared temp folder, anyone may have created it.
    if (!statsOf(folder)?.isDirectory()) return []
    return namesIn(folder).flatMap((entry) => {
      const path = join(folder, entry)
      if (entry === 'bin') return [placeAt('script-bin', `${SCRIPT_DATA}/bin`, path, io)]
      return UUID.test(entry) ? [placeAt('script-data', `${SCRIPT_DATA}/${entry}`, path, io)] : []
    })
  })
}

function tempNames(io: Io): Place[] {
  return [...sharedTempNames, ...fixedTempNames].flatMap((name) => {
    const path = join(tempFolder(io), name)
    return statsOf(path) ? [placeAt('temp', name, path, io)] : []
  })
}

/** Both levels of `.coder-modules`, and of the default folder if a variable names another. */
function moduleData(io: Io): Place[] {
  const bases = new Set([moduleBase(io), join(io.home, '.coder-modules')])
  return [...bases].flatMap((base) =>
    namesIn(base).flatMap((first) => {
      const folder = join(base, first)
      if (!isNamespace(folder)) return [placeAt('module-data', first, folder, io)]
      return namesIn(folder).map((second) => placeAt('module-data', `${first}/${second}`, join(folder, second), io))
    }),
  )
}

/** Typical folders inside a module's folder. */
const MODULE_SUBFOLDERS = ['logs', 'scripts', 'bin', 'config', 'data', 'cache', 'state']

/** A namespace contains only module folders. This is a guess: nothing marks one. */
function isNamespace(folder: string): boolean {
  if (!statsOf(folder)?.isDirectory()) return false
  const entries = namesIn(folder)
  if (entries.length === 0 || entries.some((entry) => MODULE_SUBFOLDERS.includes(entry))) return false
  return entries.every((entry) => statsOf(join(folder, entry))?.isDirectory())
}

function placeAt(kind: PlaceKind, name: string, path: string, io: Io): Place {
  return { kind, name, path, survives: survivalOf(kind, path, io) }
}

function survivalOf(kind: PlaceKind, path: string, io: Io): Survival {
  const real = physical(path)
  if (isWithin(real, resolveLinks(io.home))) return kind === 'script-data' ? 'orphaned' : 'yes'
  if (isWithin(real, resolveLinks(tempFolder(io)))) return 'no'
  return kind === 'script-data' ? 'orphaned' : 'unknown'
}

/** Sorted; empty if the folder cannot be read. */
function namesIn(folder: string): string[] {
  return tryListNames(folder)
    .filter((name) => !UNFINISHED_MOVE.test(name))
    .sort()
}

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    // The parent folder is not readable.
    return undefined
  }
}
