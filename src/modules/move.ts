import { lstatSync, renameSync, rmdirSync, statSync, symlinkSync, unlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { privateFolder, syncFolder } from '../platform/atomic-file.ts'
import { IonError, messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { openPaths, userOf } from './in-use.ts'
import { linkText } from './inside.ts'
import { type Move, note, readJournal, type Unfinished } from './journal.ts'
import { whatIs } from './measure.ts'
import { copyTree, removeTree, stampOf } from './tree.ts'

/** Names that Ion gives to what is half way; nobody else's data is called so. */
export const HALF_WAY = /\.ion-[0-9a-f]{12}$/

/**
 * Moves a folder and leaves or removes the link, so that a crash at any point leaves the whole data in the old place or
 * in the new one, and `settle` finishes or takes back what was begun. Within a file system that is one rename. Over
 * file systems the data is copied to a name beside the target, compared, and takes over by renames; only then the old
 * files are removed.
 */
export function perform(move: Move, io: Io): void {
  note(io, { type: 'begin', ...move })
  try {
    const { source, target, temporary } = endsOf(move)
    makeFolder(dirname(target))
    if (moveByName(move)) {
      finish(move, io)
      return
    }
    const stamp = stampOf(source)
    copyTree(source, temporary)
    syncFolder(dirname(target))
    note(io, { type: 'copied', id: move.id, stamp })
    switchOver(move, stamp, io)
  } catch (error) {
    giveUp(move, io)
    if (error instanceof IonError) throw error
    throw new IonError('failed', `cannot move ${move.name}: ${messageOf(error)}`, {
      cause: error,
      hint: 'nothing was lost; ion modules audit shows where it is',
    })
  }
}

/** What a crash left half done: finished when the data had moved, or its copy is whole; else as if never begun. */
export function settle({ move, stamp, isSwitched }: Unfinished, io: Io): 'finished' | 'dropped' {
  const { source, target, temporary, aside } = endsOf(move)
  if (isSwitched) {
    finish(move, io)
    return 'finished'
  }
  if (stamp !== undefined) {
    if (isFolder(source) || isThere(aside)) {
      const user = [source, aside].map((path) => userOf(path, openPaths())).find((one) => one !== undefined)
      if (user) {
        throw new IonError('refused', `in use by process ${user.pid} (${user.command})`, { hint: 'end it first' })
      }
      switchOver(move, stamp, io)
      return 'finished'
    }
    // Nobody but the user can have removed the source; the copy is all there is.
    if (isThere(temporary)) {
      if (move.direction === 'undo') removeLink(target)
      renameSync(temporary, target)
    }
  }
  if (stamp === undefined) removeTree(temporary)
  // A module that was started again after the crash has made its folder anew, and put nothing there.
  if (whatIs(source) === 'empty folder' && whatIs(target) === 'folder') rmdirSync(source)
  if (!isFolder(source) && isFolder(target)) {
    finish(move, io)
    return 'finished'
  }
  if (move.direction === 'undo' && isFolder(source) && !isThere(target)) makeLink(move)
  note(io, { type: 'dropped', id: move.id })
  return 'dropped'
}

interface Ends {
  readonly source: string
  readonly target: string
  /** Where a copy grows: beside the target, so that it gets its name by a rename. */
  readonly temporary: string
  /** Where the source waits to be removed when a copy has taken over. */
  readonly aside: string
}

function endsOf({ direction, from, to, id }: Move): Ends {
  const [source, target] = direction === 'migrate' ? [from, to] : [to, from]
  const beside = (path: string): string => join(dirname(path), `${basename(path)}.ion-${id}`)
  return { source, target, temporary: beside(target), aside: beside(source) }
}

/** False when only a copy can get it there. */
function moveByName(move: Move): boolean {
  const { source, target } = endsOf(move)
  if (lstatSync(source).dev !== statSync(dirname(target)).dev) return false
  if (move.direction === 'undo') removeLink(target)
  try {
    // An empty folder gives way to it; one with something in it makes this fail.
    renameSync(source, target)
  } catch (error) {
    if (move.direction === 'undo' && !isThere(target)) makeLink(move)
    // One device may be several mounts, and an overlay moves no folder of a lower layer.
    if ((error as NodeJS.ErrnoException).code === 'EXDEV') return false
    throw error
  }
  syncFolder(dirname(target))
  syncFolder(dirname(source))
  return true
}

/** Lets a whole copy take over. May be called again at any point before the switch was noted. */
function switchOver(move: Move, stamp: string, io: Io): void {
  const { source, target, temporary, aside } = endsOf(move)
  if (isThere(aside) && isFolder(source)) {
    if (whatIs(source) === 'folder') {
      throw new IonError('refused', `${source} was made anew while its data was moved to ${target}`, {
        hint: 'move what is in it elsewhere, then try again',
      })
    }
    rmdirSync(source)
  }
  if (!isThere(aside) && stampOf(source) !== stamp) throw changed(move, io)
  if (isThere(temporary)) {
    if (move.direction === 'undo') removeLink(target)
    renameSync(temporary, target)
    syncFolder(dirname(target))
  }
  if (!isThere(aside)) {
    renameSync(source, aside)
    syncFolder(dirname(source))
  }
  // Who had a file open could write until now.
  if (stampOf(aside) !== stamp) throw changed(move, io)
  finish(move, io, true)
}

function changed(move: Move, io: Io): IonError {
  rollBack(move, io)
  return new IonError('refused', `${move.name} was written to while it was copied; everything is where it was`, {
    hint: 'end the program that writes there, then try again',
  })
}

/** The last steps: the data is in its new place. */
function finish(move: Move, io: Io, isSwitchToNote = false): void {
  const { source, aside } = endsOf(move)
  if (move.direction === 'migrate' && !isThere(source)) makeLink(move)
  if (isSwitchToNote) note(io, { type: 'switched', id: move.id })
  removeTree(aside)
  syncFolder(dirname(source))
  note(io, { type: 'done', id: move.id })
}

/** As it was before, as far as the source is whole: it is until the switch was noted. */
function rollBack(move: Move, io: Io): void {
  const { source, target, temporary, aside } = endsOf(move)
  if (isThere(aside)) {
    if (move.direction === 'migrate') removeLink(source)
    renameSync(aside, source)
    syncFolder(dirname(source))
    if (isFolder(target) && !isThere(temporary)) renameSync(target, temporary)
  } else if (!isThere(source) && isFolder(target)) {
    renameSync(target, source)
  } else if (isFolder(source) && isFolder(target) && !isThere(temporary) && wasCopied(move, io)) {
    renameSync(target, temporary)
  }
  if (move.direction === 'undo' && isFolder(source) && !isThere(target)) makeLink(move)
  removeTree(temporary)
  note(io, { type: 'dropped', id: move.id })
}

/** After an error; what cannot even be put back is settled by the next run. */
function giveUp(move: Move, io: Io): void {
  try {
    const left = readJournal(io).unfinished.find((one) => one.move.id === move.id)
    if (left && !left.isSwitched) rollBack(move, io)
  } catch {
    // The error that led here is the one to tell.
  }
}

/** Whether a target beside a whole source can be a copy that Ion made. */
function wasCopied(move: Move, io: Io): boolean {
  const left = readJournal(io).unfinished.find((one) => one.move.id === move.id)
  return left?.stamp !== undefined
}

/** A folder of our own, and those above it, on the disk. */
function makeFolder(path: string): void {
  if (isThere(path)) return
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

function isThere(path: string): boolean {
  return whatIs(path) !== 'missing'
}

function isFolder(path: string): boolean {
  const what = whatIs(path)
  return what === 'folder' || what === 'empty folder'
}
