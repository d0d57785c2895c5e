import { basename, dirname } from 'node:path'
import { sessionId } from '../../events/id.ts'
import type { Problem } from '../../events/item.ts'
import { type SessionHead, titleFrom } from '../../events/session.ts'
import { fileHead, headOrProblem } from '../../native/file-head.ts'
import { parseLines } from '../../native/line-window.ts'
import { asObject, asString } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import type { Draft } from '../../native/sequencer.ts'
import { toIso } from '../../native/time.ts'
import type { FileStamp } from '../../native/walk.ts'
import { readHead } from '../../native/window.ts'
import { messageDrafts, userTextDrafts } from './messages.ts'
import { chatOf, parentOf } from './sources.ts'

const HEAD = 32 * 1024

/** A transcript has neither folder nor times; a description of the chat may. `resume` does not read it. */
export function* transcriptHead(
  file: FileStamp,
  description: Readonly<Record<string, unknown>>,
  second: boolean,
  reading: ReadContext,
): Generator<SessionHead | Problem> {
  const { path } = file
  const chat = chatOf(path)
  const native = second ? `${projectOf(path)}/${chat}` : chat
  const parent = parentOf(path)
  yield* headOrProblem(path, () => ({
    ...fileHead('cursor', native, [file]),
    title: titleFrom(asString(description.title) || firstPrompt(readHead(path, HEAD, reading), path) || ''),
    cwd: asString(description.cwd) ?? null,
    created_at: toIso(description.createdAtMs) ?? null,
    format: path.endsWith('.txt') ? 'transcript-text' : 'transcript-jsonl',
    resumable: false,
    ...(parent ? { parent_session: sessionId('cursor', parent) } : {}),
  }))
}

function firstPrompt(start: Buffer, path: string): string | undefined {
  const drafts: Draft[] = path.endsWith('.txt')
    ? userTextDrafts(
        start
          .toString('utf8')
          .split(/^assistant:\s*$/m)[0]!
          .replace(/^user:\s*\n/, ''),
      )
    : parseLines(start, 'head').flatMap((line) =>
        line.role === 'user'
          ? (messageDrafts({ role: 'user', content: asObject(line.message)?.content }, '') ?? [])
          : [],
      )
  const typed = drafts.find((draft) => draft.type === 'user')
  return typed?.type === 'user' ? asString(typed.content) : undefined
}

/** The folder of `projects/` that the transcript is in. */
function projectOf(path: string): string {
  const folder = dirname(path)
  return basename(folder) === 'agent-transcripts' || folder === path ? basename(dirname(folder)) : projectOf(folder)
}
