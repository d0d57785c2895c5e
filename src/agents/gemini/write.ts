import { uuidV5 } from '../../events/id.ts'
import { isSince } from '../_shared/start.ts'
import type {
  AssistantMessage,
  Message,
  NewSession,
  SessionWriter,
  ToolCall,
  UserMessage,
  WrittenSession,
} from '../write.ts'
import { projectHash, slugFrom } from './projects.ts'
import { GUARD, isSkipped } from './records.ts'

/** The oldest that was seen to read lines. It reads the one JSON of older versions too. */
const READS_LINES = '0.61.0'

/**
 * One file, and the one that says which project its folder belongs to. A result is in the record of its call and nowhere else:
 * in a record of its own it would be sent twice.
 */
export const writer: SessionWriter = {
  proven: { oldest: '0.33.0', newest: '0.61.0' },
  budget: 600_000,
  calls: 'kept',
  images: true,
  prepare:
    ({ version }) =>
    (session) =>
      write(session, isSince(READS_LINES, version)),
}

function write(session: NewSession, asLines: boolean): WrittenSession {
  const { id, cwd, at } = session
  // backup.ts puts both into the folder that the project has on this machine.
  const folder = `tmp/${slugFrom(cwd)}`
  // The name that Gemini gives ends in eight letters: by them it would delete the session after a resume.
  const path = `${folder}/chats/session-${at.slice(0, 16).replaceAll(':', '-')}-${id}.json${asLines ? 'l' : ''}`
  return {
    nativeId: id,
    parts: [
      { kind: 'file', root: 'gemini', path: `${folder}/.project_root`, form: 'whole', shared: true, content: cwd },
      asLines
        ? { kind: 'file', root: 'gemini', path, form: 'lines', content: linesOf(session) }
        : { kind: 'file', root: 'gemini', path, form: 'whole', content: jsonOf(session) },
    ],
  }
}

function linesOf(session: NewSession): string {
  const { at: lastUpdated, title: summary, messages, id } = session
  const records = [
    { ...metadataOf(session), kind: 'main', summary },
    ...recordsOf(messages, id),
    { $set: { lastUpdated } },
  ]
  return records.map((record) => `${lineOf(record)}\n`).join('')
}

/** Gemini also takes the line and paragraph separators of Unicode for the end of a line. */
function lineOf(record: object): string {
  return JSON.stringify(record).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}

function jsonOf(session: NewSession): string {
  const { title: summary, messages, id } = session
  const all = { ...metadataOf(session), messages: recordsOf(messages, id), summary }
  return JSON.stringify(all, null, 2)
}

/** Gemini deletes what was not updated for 30 days. */
function metadataOf({ id: sessionId, cwd, at }: NewSession) {
  return { sessionId, projectHash: projectHash(cwd), startTime: at, lastUpdated: at }
}

function recordsOf(messages: readonly Message[], session: string): object[] {
  const idOf = (name: string): string => uuidV5(`${session}/${name}`)
  return withAnswersJoined(messages).flatMap((message) =>
    message.role === 'user' ? [promptRecord(message, idOf)] : answerRecords(message, idOf),
  )
}

/** Answers that follow each other, as one: the service wants a call in the first answer to a prompt or to results. */
function withAnswersJoined(messages: readonly Message[]): Message[] {
  const joined: Message[] = []
  for (const message of messages) {
    const last = joined.at(-1)
    const isContinued = last?.role === 'assistant' && last.content.every(({ type }) => type === 'text')
    if (isContinued && message.role === 'assistant') {
      joined[joined.length - 1] = { ...last, content: [...last.content, ...message.content] }
    } else joined.push(message)
  }
  return joined
}

function promptRecord({ id, timestamp, content }: UserMessage, idOf: (name: string) => string): object {
  const parts = content.map((block) =>
    block.type === 'text'
      ? { text: block.text }
      : { inlineData: { mimeType: block.media_type ?? 'image/png', data: block.data } },
  )
  const [first] = content
  const guard = first?.type === 'text' && isSkipped(first.text) ? [{ text: GUARD }] : []
  return { id: idOf(id), timestamp, type: 'user', content: [...guard, ...parts] }
}

/** In a record texts come before calls, so a text after a call begins another one. */
function answerRecords({ id, timestamp, content }: AssistantMessage, idOf: (name: string) => string): object[] {
  const groups: { texts: string[]; calls: ToolCall[] }[] = []
  for (const block of content) {
    const last = groups.at(-1)
    if (block.type === 'call') {
      if (last) last.calls.push(block)
      else groups.push({ texts: [], calls: [block] })
    } else if (last && last.calls.length === 0) last.texts.push(block.text)
    else groups.push({ texts: [block.text], calls: [] })
  }
  return groups.map(({ texts, calls }, index) => ({
    id: idOf(index === 0 ? id : `${id}/${index}`),
    timestamp,
    type: 'gemini',
    content: texts.map((text, at) => ({ text: withoutSpaceBetween(text, at, texts.length) })),
    ...(calls.length > 0 ? { toolCalls: calls.map(callRecord) } : {}),
  }))
}

/** Several texts of one message are read as one: the white space where they meet would be either's. */
function withoutSpaceBetween(text: string, at: number, count: number): string {
  const start = at > 0 ? text.trimStart() : text
  return at < count - 1 ? start.trimEnd() : start
}

function callRecord({ id, name, input, output, isError, timestamp }: ToolCall): object {
  const response = isError ? { error: output } : { output }
  return {
    id,
    name,
    args: input,
    result: [{ functionResponse: { id, name, response } }],
    status: isError ? 'error' : 'success',
    timestamp,
  }
}
