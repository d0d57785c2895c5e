import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { exportFileName } from '../export/file-name.ts'
import type { Io } from '../platform/io.ts'
import type { Task } from '../run/task.ts'
import type { SessionEntry } from './contract.ts'

const MEDIA_TYPES = {
  md: 'text/markdown; charset=utf-8',
  html: 'text/html; charset=utf-8',
  jsonl: 'application/jsonl',
  json: 'application/json',
} as const

export type DocumentFormat = keyof typeof MEDIA_TYPES

export const documentFormats = Object.keys(MEDIA_TYPES) as readonly DocumentFormat[]

export interface OpenDocument {
  readonly body: ReadableStream
  readonly type: string
  /** A file name for it. */
  readonly name: string
  close(): void
}

/**
 * Documents and lists that take long to make: reading and masking a large session keeps a processor busy for seconds, so
 * it must not happen on the thread that answers everybody.
 */
export interface Documents {
  /** `share` is redacted Markdown. Undefined when too many are being made already. */
  open(kind: DocumentFormat | 'share', sessionId: string): Promise<OpenDocument | undefined>
  /** The agent's sessions in this project, newest first. */
  sessions(): Promise<readonly SessionEntry[]>
}

/** What a worker thread is asked to make; see document-worker.ts. */
export interface DocumentJob {
  readonly io: Pick<Io, 'env' | 'home' | 'cwd'>
  readonly document:
    | { readonly kind: DocumentFormat | 'share'; readonly sessionId: string }
    | { readonly kind: 'sessions'; readonly agent: string; readonly project: string; readonly limit: number }
}

const MAX_WORKERS = 4
const MAX_MS = 60_000
const MAX_SESSIONS = 200

/** Makes each document in a worker thread of `workerFile`, the built document-worker.ts. */
export function workerDocuments(task: Task, { env, home, cwd }: Io, workerFile: string): Documents {
  let running = 0
  const start = (document: DocumentJob['document']): DocumentWorker => {
    running++
    return new DocumentWorker(workerFile, { document, io: { env: { ...env }, home, cwd } }, () => running--)
  }
  return {
    async open(kind, sessionId) {
      if (running >= MAX_WORKERS) return undefined
      const worker = start({ kind, sessionId })
      // Errors that concern the session as a whole come before the first piece.
      const first = await worker.next()
      const format = kind === 'share' ? 'md' : kind
      const created_at = new Date().toISOString()
      return {
        body: streamOf(first, worker),
        type: MEDIA_TYPES[format],
        name: exportFileName({ id: sessionId, agent: task.agent, title: task.name, created_at }, format),
        close: () => worker.close(),
      }
    },
    async sessions() {
      if (running >= MAX_WORKERS) return []
      const { agent, project } = task
      const list = await start({ kind: 'sessions', agent, project, limit: MAX_SESSIONS }).next()
      return JSON.parse(list ?? '[]') as SessionEntry[]
    },
  }
}

/** A worker that is asked for one piece after the other, so that it is never far ahead of the reader. */
class DocumentWorker {
  readonly #worker: Worker
  readonly #ended = new AbortController()

  constructor(file: string, job: DocumentJob, onExit: () => void) {
    this.#worker = new Worker(file, { workerData: job })
    this.#worker.unref()
    // Reported by the call of `next` that waits for it.
    this.#worker.on('error', () => {})
    const timer = setTimeout(() => this.close(), MAX_MS).unref()
    this.#worker.once('exit', () => {
      clearTimeout(timer)
      this.#ended.abort(new Error('the document could not be made'))
      onExit()
    })
  }

  /** Null at the end; the thread then exits. */
  async next(): Promise<string | null> {
    const { signal } = this.#ended
    signal.throwIfAborted()
    const message = once(this.#worker, 'message', { signal })
    this.#worker.postMessage('next')
    const [piece] = (await message) as [string | null]
    return piece
  }

  close(): void {
    void this.#worker.terminate()
  }
}

function streamOf(first: string | null, worker: DocumentWorker): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let piece: Promise<string | null> = Promise.resolve(first)
  return new ReadableStream({
    async pull(controller) {
      const text = await piece
      if (text === null) return controller.close()
      controller.enqueue(encoder.encode(text))
      piece = worker.next()
      // Rejected pieces are handled by the next pull, which may never come.
      piece.catch(() => {})
    },
    cancel: () => worker.close(),
  })
}
