import { statfsSync, statSync } from 'node:fs'
import type { DiskLine } from './lines.ts'

export interface Place {
  readonly agent: string
  readonly path: string
  readonly minimumBytes: number
}

type FreeOf = (path: string) => { readonly bavail: number; readonly blocks: number; readonly bsize: number }

/** Free space on the file system of each existing place, compared with what its agent needs. */
export function disksOf(places: readonly Place[], freeOf: FreeOf = statfsSync): DiskLine[] {
  return places.map(({ agent, path, minimumBytes }) => {
    const space = spaceAt(path, freeOf)
    return {
      kind: 'disk',
      agent,
      path,
      device: statSync(path, { throwIfNoEntry: false })?.dev ?? 0,
      free_bytes: space?.free ?? null,
      total_bytes: space?.total ?? null,
      minimum_bytes: minimumBytes,
      enough: space ? space.free >= minimumBytes : null,
    }
  })
}

function spaceAt(path: string, freeOf: FreeOf): { free: number; total: number } | undefined {
  try {
    const { bavail, blocks, bsize } = freeOf(path)
    // Some virtual file systems have no size, which does not mean a full disk.
    return blocks > 0 ? { free: bavail * bsize, total: blocks * bsize } : undefined
  } catch {
    return undefined
  }
}
