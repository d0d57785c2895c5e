import { spawn } from 'node:child_process'
import { type ErrorKind, type ExitKind, IonError } from '../../../platform/error.ts'
import { type ServerEntry, serverOf } from '../../../server/registry.ts'
import type { Context } from '../../command.ts'
import { sayWhere } from './foreground.ts'
import { sayServed } from './run.ts'
import { addressWith, type ServeOrder, tokenOf } from './serve-config.ts'

/** What the server in the background tells the one who started it. */
export type ServerNews =
  | { readonly type: 'listening'; readonly port: number; readonly url: string }
  | { readonly type: 'failed'; readonly kind: ErrorKind; readonly message: string; readonly hint: string | undefined }

const LONGEST_MS = 20_000
const LOOK_MS = 50

/** Starts the server as a process of its own and returns when it answers. */
export async function serveInBackground(order: ServeOrder, word: string, context: Context): Promise<ExitKind> {
  const token = tokenOf(order)
  const news = await startServer(order)
  if (news.type === 'failed') {
    // Another start at the same instant was faster: then that is the one.
    const other = news.kind === 'refused' ? await serverSoon(order, context) : undefined
    if (other) return sayServed(`already serving ${word}`, other.url, context)
    throw new IonError(news.kind, news.message, news.hint === undefined ? {} : { hint: news.hint })
  }
  sayWhere(order, word, news.port, addressWith(news.url, token), context)
  return 'ok'
}

/** It has the task, and says where it is as soon as it listens. */
async function serverSoon({ task }: ServeOrder, { io }: Context): Promise<ServerEntry | undefined> {
  const end = performance.now() + LONGEST_MS
  for (;;) {
    const server = serverOf(task.folder, io)
    if (server || performance.now() > end) return server
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

async function startServer(order: ServeOrder): Promise<ServerNews> {
  const child = spawn(process.execPath, [process.argv[1]!, 'serve-process'], {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    windowsHide: true,
  })
  try {
    const outcome = new Promise<ServerNews>((resolve, reject) => {
      const fail = (why: string): void => reject(new IonError('failed', `the server ${why}`, { hint: 'ion ps' }))
      const timer = setTimeout(() => fail(`has not answered within ${LONGEST_MS / 1000} seconds`), LONGEST_MS)
      child.once('message', (message) => resolve(message as ServerNews))
      child.once('error', reject)
      // Its last message may still be on the way.
      child.once('exit', (code, signal) => setImmediate(() => fail(`has ended before it answered (${signal ?? code})`)))
      const clear = (): void => clearTimeout(timer)
      child.once('message', clear).once('error', clear).once('exit', clear)
    })
    child.send(order, () => {})
    return await outcome
  } finally {
    if (child.connected) child.disconnect()
    child.unref()
  }
}
