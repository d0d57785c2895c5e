import { parentPort, workerData } from 'node:worker_threads'
import { exportSession, shareSession } from '../library/export-session.ts'
import { listSessions } from '../library/list-sessions.ts'
import { ioOf } from '../library/options.ts'
import { toJsonText } from '../platform/json-text.ts'
import type { SessionEntry } from './contract.ts'
import type { DocumentJob } from './documents.ts'

/** The entry of a worker thread: answers each message with the next piece of the document, and with null at its end. */
const PIECE_LENGTH = 64 * 1024

const job = workerData as DocumentJob
/** Its lines are shown as they are found. */
const isStream = job.document.kind === 'browse-files'
const pieces = documentOf(job)
parentPort!.on('message', async () => {
  const piece = await nextPiece()
  parentPort!.postMessage(piece)
  if (piece === null) parentPort!.close()
})

async function nextPiece(): Promise<string | null> {
  let text = ''
  while (text.length < (isStream ? 1 : PIECE_LENGTH)) {
    const { done, value } = await pieces.next()
    if (done) return text === '' ? null : text
    text += value
  }
  return text
}

async function* documentOf({ document, io }: DocumentJob): AsyncGenerator<string, void, undefined> {
  if (document.kind === 'share') yield* shareSession(document.sessionId, { io })
  else if ('sessionId' in document) yield* exportSession(document.sessionId, { io, format: document.kind })
  else if (document.kind !== 'sessions') {
    const { browseDocument } = await import('./browse/worker-jobs.ts')
    yield* browseDocument(document, ioOf({ io }))
  } else {
    const { agent, project, limit } = document
    const entries: SessionEntry[] = []
    for await (const { id, title, updated_at, messages } of listSessions({ io, agents: [agent], project, limit })) {
      entries.push({ id, title, updated_at, messages })
    }
    yield toJsonText(entries)
  }
}
