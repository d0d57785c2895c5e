import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, lstatSync, rmSync } from 'node:fs'
import type { Server } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { privateFolder } from '../platform/atomic-file.ts'
import { IonError, messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'

/** The limit of the system is 104 bytes on macOS and 108 on Linux. */
const LONGEST_PATH = 100

/** Where a host may listen, in order of preference. Each is in a folder that only the user may enter. */
function socketPaths(folder: string, io: Io): string[] {
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 16)
  if (io.platform === 'win32') return [`\\\\.\\pipe\\ion-${name}`]
  const own = join(folder, 'host.sock')
  const runtime = io.env.XDG_RUNTIME_DIR
  const fallbacks = [...(runtime ? [join(runtime, 'ion')] : []), join(tmpdir(), `ion-${userId()}`)]
  return [own, ...fallbacks.map((folder) => join(folder, `${name}.sock`))].filter(
    (path) => Buffer.byteLength(path) <= LONGEST_PATH,
  )
}

/** Listens on the first path that works: not every file system supports sockets. Returns the path. */
export async function listenPrivately(server: Server, folder: string, io: Io): Promise<string> {
  let last: unknown = new Error('all paths are too long')
  for (const path of socketPaths(folder, io)) {
    try {
      if (io.platform !== 'win32') preparePath(path)
      server.listen(path)
      await once(server, 'listening')
      if (io.platform !== 'win32') chmodSync(path, 0o600)
      return path
    } catch (error) {
      last = error
    }
  }
  throw new IonError('failed', `cannot create a socket for ion attach: ${messageOf(last)}`, {
    cause: last,
    hint: 'set XDG_RUNTIME_DIR to a short path of your own',
  })
}

/** We hold the task's lease, so an existing socket is stale. */
function preparePath(path: string): void {
  const folder = privateFolder(join(path, '..'))
  const stat = lstatSync(folder)
  if (!stat.isDirectory() || stat.uid !== userId() || (stat.mode & 0o077) !== 0) {
    throw new Error(`${folder} is not a private folder of yours`)
  }
  rmSync(path, { force: true })
}

/** Not by `userInfo()` where it can be avoided: it throws for a user without an entry in passwd, as in some containers. */
function userId(): number {
  return process.getuid?.() ?? userInfo().uid
}
