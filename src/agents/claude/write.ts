import { uuidV5 } from '../../events/id.ts'
import type { AssistantMessage, Message, NewSession, SessionWriter, UserMessage, WrittenSession } from '../write.ts'
import { folderName } from './backup.ts'

/** The newest version whose sessions were seen; a session says which version wrote it. */
const VERSION = '2.1.325'

/**
 * One file with one record per message. The chain of parents must be complete: where it is broken, only what follows is sent.
 * Thinking is never written, since its signature is bound to the model and account that made it.
 */
export const writer: SessionWriter = {
  proven: { oldest: '2.1.197', newest: VERSION },
  budget: 120_000,
  calls: 'kept',
  images: true,
  prepare:
    ({ version }) =>
    (session) =>
      write(session, version ?? VERSION),
}

function write(session: NewSession, version: string): WrittenSession {
  const { id: sessionId, cwd, messages, title } = session
  const lines: string[] = []
  let parentUuid: string | null = null
  const add = (name: string, timestamp: string, fields: object): void => {
    const uuid = uuidV5(`${sessionId}/${name}`)
    const record = {
      parentUuid,
      isSidechain: false,
      userType: 'external',
      cwd,
      sessionId,
      version,
      ...fields,
      uuid,
      timestamp,
    }
    lines.push(JSON.stringify(record))
    parentUuid = uuid
  }
  for (const [index, message] of messages.entries()) {
    addMessage(message, sessionId, add)
    // Since 2.1.325 what Claude Code itself adds to the first prompt is sent as a message after it, which is empty where a session
    // has nothing of the kind, and then the provider refuses every request.
    if (index === 0)
      add('date', message.timestamp, {
        type: 'attachment',
        attachment: { type: 'date', date: session.at.slice(0, 10) },
      })
  }
  lines.push(JSON.stringify({ type: 'custom-title', customTitle: title, sessionId }))
  const content = lines.map((line) => `${line}\n`).join('')
  return {
    nativeId: sessionId,
    parts: [
      { kind: 'file', root: 'config', path: `projects/${folderName(cwd)}/${sessionId}.jsonl`, form: 'lines', content },
    ],
  }
}

type Add = (name: string, timestamp: string, fields: object) => void

function addMessage(message: Message, sessionId: string, add: Add): void {
  if (message.role === 'user') add(message.id, message.timestamp, userRecord(message))
  else addAnswer(message, sessionId, add)
}

function userRecord({ content, isSummary }: UserMessage): object {
  const [first] = content
  const isText = content.length === 1 && first?.type === 'text'
  const blocks = content.map((block) =>
    block.type === 'text'
      ? block
      : { type: 'image', source: { type: 'base64', media_type: block.media_type ?? 'image/png', data: block.data } },
  )
  return {
    type: 'user',
    message: { role: 'user', content: isText ? first.text : blocks },
    ...(isSummary ? { isCompactSummary: true, isVisibleInTranscriptOnly: true } : {}),
  }
}

function addAnswer(message: AssistantMessage, sessionId: string, add: Add): void {
  const { content, model, id, timestamp } = message
  const calls = content.filter((block) => block.type === 'call')
  add(id, timestamp, {
    type: 'assistant',
    message: {
      id: `msg_${uuidV5(`${sessionId}/${id}/message`).replaceAll('-', '')}`,
      type: 'message',
      role: 'assistant',
      model: model ?? 'unknown',
      content: content.map((block) =>
        block.type === 'text' ? block : { type: 'tool_use', id: block.id, name: block.name, input: block.input },
      ),
      stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 },
    },
  })
  if (calls.length === 0) return
  add(`${id}/results`, calls.at(-1)!.timestamp, {
    type: 'user',
    message: {
      role: 'user',
      content: calls.map(({ id: tool_use_id, output, isError }) => ({
        type: 'tool_result',
        tool_use_id,
        content: output,
        is_error: isError,
      })),
    },
  })
}
