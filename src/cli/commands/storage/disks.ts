import { statfsSync, statSync } from 'node:fs'
import type { DiskLine } from './lines.ts'

export interface Place {
  readonly agent: string
  readonly path: string
  readonly minimumBytes: number
}

type FreeOf = (path: string) => { readonly bavail: number; readonly blocks: number; readonly bsize: number }

/** Room on the file system of each place, which must be there, against what its agent should have. */
export function disksOf(places: readonly Place[], freeOf: FreeOf = statfsSync): DiskLine[] {
  return places.map(({ agent, path, minimumBytes }) => {
    const room = roomAt(path, freeOf)
    return {
      kind: 'disk',
      agent,
      path,
      device: statSync(path, { throwIfNoEntry: false })?.dev ?? 0,
      free_bytes: room?.free ?? null,
      total_bytes: room?.total ?? null,
      minimum_bytes: minimumBytes,
      enough: room ? room.free >= minimumBytes : null,
    }
  })
}

function roomAt(path: string, freeOf: FreeOf): { free: number; total: number } | undefined {
  try {
    const { bavail, blocks, bsize } = freeOf(path)
    // Some virtual file systems have no size at all; that is not a full disk.
    return blocks > 0 ? { free: bavail * bsize, total: blocks * bsize } : undefined
  } catch {
    return undefined
  }
}
