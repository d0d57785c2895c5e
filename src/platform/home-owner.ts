import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { IonError } from './error.ts'
import { ionHome } from './home.ts'
import type { Io } from './io.ts'

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
 */
export function requireOwnHome(io: Io): void {
  const user = process.geteuid?.()
  // Windows has no such ids.
  if (user === undefined) return
  const path = ionHome(io)
  const sudo = Number.parseInt(io.env.SUDO_UID ?? '', 10)
  const owners = { home: ownerOf(path), folder: ownerAbove(path), sudoUser: Number.isNaN(sudo) ? undefined : sudo }
  if (!isForeignHome({ user, ...owners })) return
  const isRoot = user === ROOT
  const who = isRoot ? `this is root (uid 0)` : `this is the user with uid ${user}`
  const whose = `${path} belongs to the user with uid ${owners.home ?? owners.folder}`
  throw new IonError('refused', `${who}, but ${whose}: Ion would leave files there that one of them cannot use`, {
    hint: isRoot
      ? `run it without sudo, or give root its own home: ION_HOME=${join('/root', '.ion')} ion …`
      : 'set ION_HOME to a folder of your own, or unset it',
  })
}

export function isForeignHome({ user, home, folder, sudoUser }: Ownership): boolean {
  if (home !== undefined) return home !== user && home !== ROOT
  return user === ROOT && sudoUser !== undefined && sudoUser !== ROOT && folder === sudoUser
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
