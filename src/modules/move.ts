import { lstatSync, renameSync, rmdirSync, statSync, symlinkSync, unlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { privateFolder, syncFolder } from '../platform/atomic-file.ts'
import { IonError, messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { openPaths, userOf } from './in-use.ts'
import { appendEntry, type Move, readJournal, type Unfinished } from './journal.ts'
import { linkText } from './links.ts'
import { whatIs } from './measure.ts'
import { copyTree, removeTree, stampOf } from './tree.ts'

/** Names that Ion gives to unfinished moves. */
export const UNFINISHED_MOVE = /\.ion-[0-9a-f]{12}$/

/**
 * Moves a folder and leaves or removes the link. After a crash at any point the complete data is in the old or the new
 * location, and `recover` finishes the move or rolls it back. Within a file system this is one rename. Across file systems
 * the data is copied beside the target, verified and renamed into place; only then are the old files removed.
 */
export function moveFolder(move: Move, io: Io): void {
  appendEntry(io, { type: 'begin', ...move })
  try {
    const { source, target, temporary } = pathsOf(move)
    makeFolder(dirname(target))
    if (moveByRename(move)) {
      finish(move, io)
      return
    }
    const stamp = stampOf(source)
    copyTree(source, temporary)
    syncFolder(dirname(target))
    appendEntry(io, { type: 'copied', id: move.id, stamp })
    switchOver(move, stamp, io)
  } catch (error) {
    tryRollBack(move, io)
    if (error instanceof IonError) throw error
    throw new IonError('failed', `cannot move ${move.name}: ${messageOf(error)}`, {
      cause: error,
      hint: 'nothing was lost; ion modules audit shows where it is',
    })
  }
}

/** Finishes an interrupted move if the data was moved or its copy is complete; otherwise rolls it back. */
export function recover({ move, stamp, isSwitched }: Unfinished, io: Io): 'finished' | 'dropped' {
  const { source, target, temporary, renamedSource } = pathsOf(move)
  if (isSwitched) {
    finish(move, io)
    return 'finished'
  }
  if (stamp !== undefined) {
    if (isFolder(source) || exists(renamedSource)) {
      const user = [source, renamedSource].map((path) => userOf(path, openPaths())).find((one) => one !== undefined)
      if (user) {
        throw new IonError('refused', `in use by process ${user.pid} (${user.command})`, { hint: 'stop it first' })
      }
      switchOver(move, stamp, io)
      return 'finished'
    }
    // The user must have removed the source; only the copy is left.
    if (exists(temporary)) {
      if (move.direction === 'undo') removeLink(target)
      renameSync(temporary, target)
    }
  }
  if (stamp === undefined) removeTree(temporary)
  // A module that was started after the crash has recreated its folder and left it empty.
  if (whatIs(source) === 'empty folder' && whatIs(target) === 'folder') rmdirSync(source)
  if (!isFolder(source) && isFolder(target)) {
    finish(move, io)
    return 'finished'
  }
  if (move.direction === 'undo' && isFolder(source) && !exists(target)) makeLink(move)
  appendEntry(io, { type: 'dropped', id: move.id })
  return 'dropped'
}

interface MovePaths {
  readonly source: string
  readonly target: string
  /** Where the copy is written: beside the target, to be renamed. */
  readonly temporary: string
  /** What the source is called until it is removed, once the copy is in place. */
  readonly renamedSource: string
}

function pathsOf({ direction, from, to, id }: Move): MovePaths {
  const [source, target] = direction === 'migrate' ? [from, to] : [to, from]
  const beside = (path: string): string => join(dirname(path), `${basename(path)}.ion-${id}`)
  return { source, target, temporary: beside(target), renamedSource: beside(source) }
}

/** False if it must be copied. */
function moveByRename(move: Move): boolean {
  const { source, target } = pathsOf(move)
  if (lstatSync(source).dev !== statSync(dirname(target)).dev) return false
  if (move.direction === 'undo') removeLink(target)
  try {
    // Replaces an empty folder; fails if it is not empty.
    renameSync(source, target)
  } catch (error) {
    if (move.direction === 'undo' && !exists(target)) makeLink(move)
    // One device may have several mounts, and an overlay cannot rename folders of a lower layer.
    if ((error as NodeJS.ErrnoException).code === 'EXDEV') return false
    throw error
  }
  syncFolder(dirname(target))
  syncFolder(dirname(source))
  return true
}

/** Puts a complete copy into place. May be repeated at any point before `switched` is in the journal. */
function switchOver(move: Move, stamp: string, io: Io): void {
  const { source, target, temporary, renamedSource } = pathsOf(move)
  if (exists(renamedSource) && isFolder(source)) {
    if (whatIs(source) === 'folder') {
      throw new IonError('refused', `${source} was recreated while its data was moved to ${target}`, {
        hint: 'move its contents to another place, then try again',
      })
    }
    rmdirSync(source)
  }
  if (!exists(renamedSource) && stampOf(source) !== stamp) throw changed(move, io)
  if (exists(temporary)) {
    if (move.direction === 'undo') removeLink(target)
    renameSync(temporary, target)
    syncFolder(dirname(target))
  }
  if (!exists(renamedSource)) {
    renameSync(source, renamedSource)
    syncFolder(dirname(source))
  }
  // A process with an open file could write until now.
  if (stampOf(renamedSource) !== stamp) throw changed(move, io)
  finish(move, io, true)
}

function changed(move: Move, io: Io): IonError {
  rollBack(move, io)
  return new IonError('refused', `${move.name} was modified while it was copied; everything was rolled back`, {
    hint: 'stop the program that writes there, then try again',
  })
}

/** The last steps: the data is in its new location. */
function finish(move: Move, io: Io, recordSwitch = false): void {
  const { source, renamedSource } = pathsOf(move)
  if (move.direction === 'migrate' && !exists(source)) makeLink(move)
  if (recordSwitch) appendEntry(io, { type: 'switched', id: move.id })
  removeTree(renamedSource)
  syncFolder(dirname(source))
  appendEntry(io, { type: 'done', id: move.id })
}

/** Restores the state before the move. The source is complete until `switched` is in the journal. */
function rollBack(move: Move, io: Io): void {
  const { source, target, temporary, renamedSource } = pathsOf(move)
  if (exists(renamedSource)) {
    if (move.direction === 'migrate') removeLink(source)
    renameSync(renamedSource, source)
    syncFolder(dirname(source))
    if (isFolder(target) && !exists(temporary)) renameSync(target, temporary)
  } else if (!exists(source) && isFolder(target)) {
    renameSync(target, source)
  } else if (
    isFolder(source) &&
    isFolder(target) &&
    !exists(temporary) &&
    unfinishedOf(move, io)?.stamp !== undefined
  ) {
    // The target is Ion's copy.
    renameSync(target, temporary)
  }
  if (move.direction === 'undo' && isFolder(source) && !exists(target)) makeLink(move)
  removeTree(temporary)
  appendEntry(io, { type: 'dropped', id: move.id })
}

/** After an error. What cannot be rolled back now is recovered by the next run. */
function tryRollBack(move: Move, io: Io): void {
  try {
    const left = unfinishedOf(move, io)
    if (left && !left.isSwitched) rollBack(move, io)
  } catch {
    // Report the original error instead.
  }
}

function unfinishedOf({ id }: Move, io: Io): Unfinished | undefined {
  return readJournal(io).unfinished.find(({ move }) => move.id === id)
}

/** Creates a private folder and its parents, on disk. */
function makeFolder(path: string): void {
  if (exists(path)) return
  makeFolder(dirname(path))
  privateFolder(path)
  syncFolder(dirname(path))
}

function makeLink({ from, to }: Move): void {
  symlinkSync(linkText(from, to), from, 'dir')
  syncFolder(dirname(from))
}

function removeLink(path: string): void {
  if (whatIs(path) === 'link') unlinkSync(path)
}

function exists(path: string): boolean {
  return whatIs(path) !== 'missing'
}

function isFolder(path: string): boolean {
  const what = whatIs(path)
  return what === 'folder' || what === 'empty folder'
}
