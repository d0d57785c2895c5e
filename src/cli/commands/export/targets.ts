import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { SessionRow } from '../../../catalog/session-row.ts'
import { exportFileName } from '../../../export/file-name.ts'
import { IonError } from '../../../platform/error.ts'
import { refuseNoFolder } from '../../require-path.ts'
import { alreadyThere } from './write-file.ts'

export interface Target {
  readonly row: SessionRow
  readonly path: string
}

export interface TargetOptions {
  readonly output: string
  readonly extension: string
  /** A folder is meant even where there is none yet. */
  readonly several: boolean
  readonly force: boolean
  /** The title to name a file after, masked where that was asked for. */
  readonly titleOf: (row: SessionRow) => string | null
}

/** Where each session goes. Refuses before anything is written when a file is there already. */
export function chooseTargets(rows: readonly SessionRow[], options: TargetOptions, cwd: string): Target[] {
  const path = resolve(cwd, options.output)
  const isFolder = isDirectory(path)
  if (options.several && !isFolder && existsSync(path)) {
    throw new IonError('usage', `${path} is a file, and several sessions need a folder`, {
      hint: 'ion export … -o <folder>',
    })
  }
  const targets =
    options.several || isFolder || /[\\/]$/.test(options.output)
      ? nameInFolder(rows, path, options)
      : rows.map((row) => ({ row, path }))
  if (!options.several && !isFolder && targets[0]?.path === path) refuseNoFolder(path)
  const taken = options.force ? [] : targets.filter((target) => existsSync(target.path))
  if (taken.length > 0) throw alreadyThere(taken.map((target) => target.path))
  return targets
}

/** Two sessions may share day, title and the beginning of their ids: the second is named by its whole id. */
function nameInFolder(rows: readonly SessionRow[], folder: string, { extension, titleOf }: TargetOptions): Target[] {
  const used = new Set<string>()
  return rows.map((row) => {
    const named = { ...row, title: titleOf(row) }
    let name = exportFileName(named, extension)
    if (used.has(name)) name = `${row.id}.${extension}`
    for (let n = 2; used.has(name); n++) name = `${row.id}-${n}.${extension}`
    used.add(name)
    return { row, path: join(folder, name) }
  })
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
