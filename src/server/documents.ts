import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { exportFileName } from '../export/file-name.ts'
import type { Io } from '../platform/io.ts'
import type { Task } from '../run/task.ts'
import type { BrowseJob } from './browse/worker-jobs.ts'
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
    | BrowseJob
}

const MAX_WORKERS = 4
const MAX_MS = 60_000
const MAX_SESSIONS = 200

/** Makes each document in a worker thread of `workerFile`, the built document-worker.ts. */
export function workerDocuments(task: Task, io: Io, workerFile: string): Documents {
  const workers = new DocumentWorkers(io, workerFile)
  return {
    async open(kind, sessionId) {
      const format = kind === 'share' ? 'md' : kind
      const document = await workers.open({ kind, sessionId })
      const created_at = new Date().toISOString()
      return (
        document && {
          ...document,
          type: MEDIA_TYPES[format],
          name: exportFileName({ id: sessionId, agent: task.agent, title: task.name, created_at }, format),
        }
      )
    },
    async sessions() {
      const { agent, project } = task
      const list = await workers.text({ kind: 'sessions', agent, project, limit: MAX_SESSIONS })
      return JSON.parse(list ?? '[]') as SessionEntry[]
    },
  }
}

/** Starts the threads, a few at a time. */
export class DocumentWorkers {
  readonly #io: DocumentJob['io']
  readonly #file: string
  #running = 0

  constructor({ env, home, cwd }: Io, file: string) {
    this.#io = { env: { ...env }, home, cwd }
    this.#file = file
  }

  /** Undefined when too many are running. Errors that concern the document as a whole come before the first piece. */
  async open(document: DocumentJob['document']): Promise<Pick<OpenDocument, 'body' | 'close'> | undefined> {
    const worker = this.#start(document)
    if (!worker) return undefined
    return { body: streamOf(await worker.next(), worker), close: () => worker.close() }
  }

  /** All of it. Undefined when too many are running. `signal`: nobody waits for it any more. */
  async text(document: DocumentJob['document'], signal?: AbortSignal): Promise<string | undefined> {
    const worker = this.#start(document)
    if (!worker) return undefined
    signal?.addEventListener('abort', () => worker.close(), { once: true })
    let text = ''
    for (let piece = await worker.next(); piece !== null; piece = await worker.next()) text += piece
    return text
  }

  #start(document: DocumentJob['document']): DocumentWorker | undefined {
    if (this.#running >= MAX_WORKERS) return undefined
    this.#running++
    return new DocumentWorker(this.#file, { document, io: this.#io }, () => this.#running--)
  }
}

export function mediaType(format: DocumentFormat): string {
  return MEDIA_TYPES[format]
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
