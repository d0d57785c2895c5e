import { basename, dirname } from 'node:path'
import { isProblem, type Problem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { withNativeDatabase } from '../../native/database.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { readHead } from '../../native/window.ts'
import type { Source } from '../agent.ts'
import { storeHead } from './list-store.ts'
import { transcriptHead } from './list-transcript.ts'
import { chatOf, isSecond } from './sources.ts'
import { parseJson } from './store.ts'

const DESCRIPTION_LIMIT = 64 * 1024

/** The store, else the transcript: one session, listed once. */
export function* heads(source: Source, reading: ReadContext): Generator<SessionHead | Problem> {
  const { path, files } = source
  const description = readDescription(source, reading)
  const transcript = files.find((file) => /\.(jsonl|txt)$/.test(file.path))
  if (basename(path) !== 'store.db') {
    const second = isSecond(path, chatOf(path), reading)
    if (transcript) yield* transcriptHead(transcript, description, second, reading)
    return
  }
  const second = isSecond(path, basename(dirname(path)), reading)
  const facts = { source, description, second, transcript: transcript?.path }
  let listed = false
  for (const head of withNativeDatabase(path, (database) => storeHead(database, facts, reading))) {
    listed ||= !isProblem(head)
    yield head
  }
  if (!listed && transcript) yield* transcriptHead(transcript, description, second, reading)
}

/** `meta.json`: folder and times without opening the store. Empty when it is missing or damaged. */
function readDescription({ files }: Source, reading: ReadContext): Readonly<Record<string, unknown>> {
  const file = files.find(({ path }) => basename(path) === 'meta.json')
  try {
    return (file && parseJson(readHead(file.path, DESCRIPTION_LIMIT, reading))) ?? {}
  } catch {
    return {}
  }
}
