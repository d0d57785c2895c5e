import { uuidV5 } from '../../events/id.ts'
import { answerSteps } from '../_shared/answer-steps.ts'
import type { AssistantMessage, NewSession, SessionWriter, UserMessage, WrittenSession } from '../write.ts'

const VERSION = '1.0.102'

/**
 * A folder with the events and a description. Answers name no model: a resume takes the user's, and another agent's may not
 * be among them.
 */
export const writer: SessionWriter = {
  proven: { oldest: VERSION, newest: VERSION },
  budget: 75_000,
  calls: 'kept',
  images: true,
  prepare:
    ({ version }) =>
    (session) =>
      write(session, version ?? VERSION),
}

function write(session: NewSession, version: string): WrittenSession {
  const { id, messages, at } = session
  const lines: string[] = []
  let parentId: string | null = null
  const add: Add = (name, timestamp, type, data) => {
    const record = { type, data, id: uuidV5(`${id}/${name}`), timestamp, parentId }
    lines.push(`${JSON.stringify(record)}\n`)
    parentId = record.id
  }
  add('start', at, 'session.start', {
    sessionId: id,
    version: 1,
    producer: 'copilot-agent',
    copilotVersion: version,
    startTime: at,
  })
  for (const [index, message] of messages.entries()) {
    if (message.role === 'user') addPrompt(message, index === 0, add)
    else addAnswer(message, id, add)
  }
  const folder = `session-state/${id}`
  const part = { kind: 'file', root: 'copilot' } as const
  return {
    nativeId: id,
    parts: [
      { ...part, path: `${folder}/workspace.yaml`, form: 'whole', content: workspace(session) },
      { ...part, path: `${folder}/events.jsonl`, form: 'lines', content: lines.join('') },
    ],
  }
}

/** `name` is unique in the session; the id of the record is made from it. */
type Add = (name: string, timestamp: string, type: string, data: object) => void

/** A resume changes to the folder that is named here. */
function workspace({ id, cwd, title, at }: NewSession): string {
  const values = { id, cwd: quoted(cwd), name: quoted(title), user_named: true, created_at: at, updated_at: at }
  return Object.entries(values)
    .map(([key, value]) => `${key}: ${value}\n`)
    .join('')
}

/** JSON's strings are YAML's, but for signs that YAML treats as line breaks or does not allow. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\x7f-\x9f\u2028\u2029\ufeff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function addPrompt({ id, timestamp, content, isSummary }: UserMessage, isFirst: boolean, add: Add): void {
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
  const attachments = content.flatMap((block) =>
    block.type === 'image' ? [{ type: 'blob', mimeType: block.media_type ?? 'image/png', data: block.data }] : [],
  )
  // Copilot sends nothing of what is before a compaction, so only the first message can be one.
  if (isSummary && isFirst && attachments.length === 0) {
    add(`user ${id}`, timestamp, 'session.compaction_complete', { success: true, summaryContent: text })
  } else {
    add(`user ${id}`, timestamp, 'user.message', { content: text, ...(attachments.length > 0 ? { attachments } : {}) })
  }
}

function addAnswer({ id, timestamp, content }: AssistantMessage, session: string, add: Add): void {
  for (const [index, { text, calls }] of answerSteps(content).entries()) {
    const name = `answer ${id} ${index}`
    add(name, timestamp, 'assistant.message', {
      messageId: uuidV5(`${session}/message of ${name}`),
      content: text,
      toolRequests: calls.map((call) => ({
        toolCallId: call.id,
        name: call.name,
        arguments: call.input,
        type: 'function',
      })),
    })
    for (const call of calls) {
      add(`result ${call.id}`, call.timestamp, 'tool.execution_complete', {
        toolCallId: call.id,
        success: !call.isError,
        ...(call.isError ? { error: { message: call.output } } : { result: { content: call.output } }),
      })
    }
  }
}
