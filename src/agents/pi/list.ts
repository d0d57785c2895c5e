import { basename } from 'node:path'
import { sessionId } from '../../events/id.ts'
import { isProblem, type Problem } from '../../events/item.ts'
import { type SessionHead, titleFrom } from '../../events/session.ts'
import { endRecords, fileHead, headOrProblem, lastOf } from '../../native/file-head.ts'
import { asObject, asString } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { toIso } from '../../native/time.ts'
import { fileSources, foldersIn } from '../../native/walk.ts'
import type { Source } from '../agent.ts'
import { isFlat, sessionsFolder } from './paths.ts'
import { draftsOf, type PiRecord } from './records.ts'

/** Enough for the first prompt behind the system prompt with its tools (10 KB). */
const HEAD = 48 * 1024

export function* sources(reading: ReadContext): Generator<Source | Problem> {
  const root = sessionsFolder(reading.io)
  for (const folder of isFlat(reading.io) ? [root, ...foldersIn(root, reading)] : foldersIn(root, reading)) {
    if (isProblem(folder)) yield folder
    else if (!reading.isUnchanged?.(folder)) yield* fileSources(folder, /^.+_.+\.jsonl$/, reading)
  }
}

export function* heads({ path, files }: Source, reading: ReadContext): Generator<SessionHead | Problem> {
  const [file] = files
  if (!file) return
  yield* headOrProblem(path, () => {
    const { first, last }: Ends = endRecords(file, reading, { head: HEAD })
    const both = [...first, ...last]
    const session = first.find(({ type }) => type === 'session')
    const parent = asString(session?.parentSession)
    const head = fileHead('pi', asString(session?.id) ?? idInName(path), files)
    return {
      ...head,
      title:
        titleFrom(asString(both.findLast(({ type }) => type === 'session_info')?.name) ?? '') ?? firstPrompt(first),
      cwd: asString(session?.cwd) ?? null,
      created_at: toIso(session?.timestamp) ?? null,
      updated_at: toIso(last.at(-1)?.timestamp) ?? head.updated_at,
      model: lastOf(both, modelOf) ?? null,
      format: 'jsonl-3',
      resumable: session !== undefined,
      ...(parent ? { forked_from: sessionId('pi', idInName(parent)) } : {}),
    }
  })
}

interface Ends {
  readonly first: readonly PiRecord[]
  readonly last: readonly PiRecord[]
}

/** `<time>_<id>.jsonl`. */
function idInName(path: string): string {
  return basename(path, '.jsonl').replace(/^[^_]*_/, '')
}

function firstPrompt(records: readonly PiRecord[]): string | null {
  const prompt = records.find((record) => asObject(record.message)?.role === 'user')
  const [draft] = prompt ? (draftsOf(prompt) ?? []) : []
  if (draft?.type !== 'user') return null
  const { content } = draft
  return titleFrom(
    typeof content === 'string' ? content : content.map((block) => ('text' in block ? block.text : '')).join(''),
  )
}

function modelOf(record: PiRecord): string | undefined {
  return record.type === 'model_change' ? asString(record.modelId) : asString(asObject(record.message)?.model)
}
