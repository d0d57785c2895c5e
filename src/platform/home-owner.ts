import { mkdtempSync, rmdirSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { IonError } from './error.ts'
import { ionHome } from './home.ts'
import type { Io } from './io.ts'
import { isWithin } from './project.ts'

const ROOT = 0

/** Who runs this process, and to whom Ion's home, or the folder that it would be created in, belongs. */
export interface Ownership {
  readonly user: number
  /** Undefined when the home does not exist yet. */
  readonly home: number | undefined
  readonly folder: number | undefined
  /** The user who typed `sudo`. */
  readonly sudoUser: number | undefined
}

/**
 * Throws `refused` when Ion's home is another user's: what Ion writes there would be readable and changeable by them, and for
 * root the home's owner could no longer use it. A home of root's is accepted, as a volume of a container often is one; so is
 * one that does not exist yet, except under `sudo`, which would create it for root in the user's home.
 *
 * Two kinds of homes seem to be another user's and are not: one below the user's own home folder, such as a folder of the host
 * that is mounted into the home of a container's user, and one on a mount that gives all files one owner (NFS with squashed
 * ids, Windows drives in WSL, sshfs).
 */
export function requireOwnHome(io: Io): void {
  const user = process.geteuid?.()
  // Windows has no such ids.
  if (user === undefined) return
  const path = ionHome(io)
  const sudo = Number.parseInt(io.env.SUDO_UID ?? '', 10)
  const owners = { home: ownerOf(path), folder: ownerAbove(path), sudoUser: Number.isNaN(sudo) ? undefined : sudo }
  if (!isForeignHome({ user, ...owners })) return
  const own = ownFolder(io)
  if (owners.home !== undefined && (isBelow(path, own) || hasMappedOwners(path, owners.home))) return
  const who = user === ROOT ? `this is root (uid 0)` : `this is the user with uid ${user}`
  const whose =
    owners.home === undefined
      ? `${path} would be created in a folder of the user with uid ${owners.folder}`
      : `${path} belongs to the user with uid ${owners.home}`
  throw new IonError('refused', `${who}, but ${whose}: Ion would leave files there that one of them cannot use`, {
    hint:
      user === ROOT
        ? `run it without sudo, or give root its own home: ION_HOME=${join(own, '.ion')} ion …`
        : 'set ION_HOME to a folder of your own, or unset it',
  })
}

export function isForeignHome({ user, home, folder, sudoUser }: Ownership): boolean {
  if (home !== undefined) return home !== user && home !== ROOT
  return user === ROOT && sudoUser !== undefined && sudoUser !== ROOT && folder === sudoUser
}

/** The home folder that the system knows for this user, whatever HOME says (`sudo` may keep the user's). */
function ownFolder(io: Io): string {
  try {
    return userInfo().homedir
  } catch {
    // Without an entry in passwd, as in containers that run as any user, HOME is all there is.
    return io.home
  }
}

function isBelow(path: string, own: string): boolean {
  // Everything is below `/`, which is the home of users that have none.
  return own !== '/' && isWithin(resolve(path), own)
}

/** Whether what this process creates there belongs to the owner of the folder as well. */
function hasMappedOwners(folder: string, owner: number): boolean {
  try {
    const probe = mkdtempSync(join(folder, '.owner-'))
    try {
      return statSync(probe).uid === owner
    } finally {
      rmdirSync(probe)
    }
  } catch {
    return false
  }
}

function ownerOf(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.uid
  } catch {
    // What is wrong with it is reported where it is used.
    return undefined
  }
}

/** Of the nearest folder above that exists. */
function ownerAbove(path: string): number | undefined {
  const parent = dirname(path)
  return ownerOf(parent) ?? (parent === path ? undefined : ownerAbove(parent))
}
