import { tilde } from '../../../platform/home.ts'
import type { Io } from '../../../platform/io.ts'

/** A snapshot on this machine. */
export interface SnapshotFile {
  readonly path: string
  /** Of the store that it comes from or goes to; the file is then a temporary one. */
  readonly address?: string | undefined
}

/** For messages. */
export function nameOf({ path, address }: SnapshotFile, io: Io): string {
  return address ?? tilde(path, io)
}
