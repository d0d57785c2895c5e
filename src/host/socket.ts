import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, rmSync } from 'node:fs'
import type { Server } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { privateFolder } from '../platform/atomic-file.ts'
import { IonError, messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'

/** The system's field has 104 bytes on macOS and 108 on Linux. */
const LONGEST_PATH = 100

/** Where a host may listen, the best first. Each is in a folder that only the user may enter. */
function socketPaths(folder: string, io: Io): string[] {
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 16)
  if (io.platform === 'win32') return [`\\\\.\\pipe\\ion-${name}`]
  const own = join(folder, 'host.sock')
  const runtime = io.env.XDG_RUNTIME_DIR
  const others = [...(runtime ? [join(runtime, 'ion')] : []), join(tmpdir(), `ion-${userInfo().uid}`)]
  return [own, ...others.map((place) => join(place, `${name}.sock`))].filter(
    (path) => Buffer.byteLength(path) <= LONGEST_PATH,
  )
}

/** Listens at the first place where that works: not every file system has sockets. Returns where. */
export async function listenPrivately(server: Server, folder: string, io: Io): Promise<string> {
  let last: unknown = new Error('every path is too long')
  for (const path of socketPaths(folder, io)) {
    try {
      if (io.platform !== 'win32') makeRoom(path)
      await listening(server, path)
      if (io.platform !== 'win32') chmodSync(path, 0o600)
      return path
    } catch (error) {
      last = error
    }
  }
  throw new IonError('failed', `no socket for ion attach can be made: ${messageOf(last)}`, {
    cause: last,
    hint: 'set XDG_RUNTIME_DIR to a short path of your own',
  })
}

/** The task's lease is ours, so a socket that is there belongs to nobody. */
function makeRoom(path: string): void {
  const folder = privateFolder(join(path, '..'))
  const stat = lstatSync(folder)
  if (!stat.isDirectory() || stat.uid !== userInfo().uid || (stat.mode & 0o077) !== 0) {
    throw new Error(`${folder} is not a private folder of yours`)
  }
  rmSync(path, { force: true })
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => {
      server.off('listening', done)
      reject(error)
    }
    const done = (): void => {
      server.off('error', failed)
      resolve()
    }
    server.once('error', failed).once('listening', done).listen(path)
  })
}
