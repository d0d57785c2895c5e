import { join } from 'node:path'
import { uuidV5 } from '../../events/id.ts'
import { asString } from '../../native/narrow.ts'
import { readSettings } from '../../native/settings.ts'
import type { Io } from '../../platform/io.ts'
import { answerSteps } from '../_shared/answer-steps.ts'
import type {
  AssistantMessage,
  Message,
  NewSession,
  SessionWriter,
  ToolCall,
  UserMessage,
  WrittenSession,
} from '../write.ts'
import { agentFolder, projectFolder } from './paths.ts'

const VERSION = '0.87.1'

/** One file: a tree of entries, which is a chain here. */
export const writer: SessionWriter = {
  proven: { oldest: VERSION, newest: VERSION },
  budget: 120_000,
  calls: 'kept',
  images: true,
  prepare: ({ io }) => {
    const model = modelOfNewSessions(io)
    return (session) => write(session, model)
  },
}

interface Model {
  readonly provider: string
  readonly modelId: string
}

/** With what a new session would begin. Pi continues a session with the model of its last answer, which is another agent's. */
function modelOfNewSessions(io: Io): Model | undefined {
  const { defaultProvider, defaultModel } = readSettings(join(agentFolder(io), 'settings.json'))
  const [provider, modelId] = [asString(defaultProvider), asString(defaultModel)]
  return provider && modelId ? { provider, modelId } : undefined
}

function write({ id, cwd, title, at, messages }: NewSession, model: Model | undefined): WrittenSession {
  const lines = [JSON.stringify({ type: 'session', version: 3, id, timestamp: at, cwd })]
  let parentId: string | null = null
  const add: Add = (name, timestamp, fields) => {
    const own = uuidV5(`${id}/${name}`)
    lines.push(JSON.stringify({ ...fields(own), id: own, parentId, timestamp }))
    parentId = own
  }
  add('title', at, () => ({ type: 'session_info', name: title }))
  for (const [index, message] of messages.entries()) addMessage(message, index === 0, add)
  if (model) add('model', at, () => ({ type: 'model_change', ...model }))
  const path = `${projectFolder(cwd)}/${at.replace(/[:.]/g, '-')}_${id}.jsonl`
  const content = lines.map((line) => `${line}\n`).join('')
  return { nativeId: id, parts: [{ kind: 'file', root: 'sessions', path, form: 'lines', content }] }
}

/** `name` is unique in the session; the id of the entry, which some entries repeat, is made from it. */
type Add = (name: string, timestamp: string, fields: (id: string) => object) => void

function addMessage(message: Message, isFirst: boolean, add: Add): void {
  const { id, timestamp } = message
  if (message.role === 'assistant') addAnswer(message, add)
  else {
    const summary = isFirst ? summaryOf(message) : undefined
    // What is between the first kept entry and the compaction is still sent: here nothing.
    if (summary === undefined) add(`user ${id}`, timestamp, () => ({ type: 'message', message: userMessage(message) }))
    else
      add(`user ${id}`, timestamp, (own) => ({ type: 'compaction', summary, firstKeptEntryId: own, tokensBefore: 0 }))
  }
}

/** What can be written as a compaction: Pi hides everything before one, and it has no images. */
function summaryOf({ content, isSummary }: UserMessage): string | undefined {
  if (!isSummary) return undefined
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  return texts.length === content.length ? texts.join('\n') : undefined
}

function userMessage({ content, timestamp }: UserMessage): object {
  return {
    role: 'user',
    content: content.map((block) =>
      block.type === 'text' ? block : { type: 'image', data: block.data, mimeType: block.media_type ?? 'image/png' },
    ),
    timestamp: Date.parse(timestamp),
  }
}

/** Pi refuses an answer without these. Of the source's tokens nothing is known in Pi's prices. */
const USAGE = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
}

/** One message per text: of several in one, Pi makes one without anything between them. */
function addAnswer({ id, timestamp, content, model }: AssistantMessage, add: Add): void {
  for (const [index, { text, calls }] of answerSteps(content).entries()) {
    add(`answer ${id} ${index}`, timestamp, () => ({
      type: 'message',
      message: {
        role: 'assistant',
        content: [
          ...(text === '' ? [] : [{ type: 'text', text }]),
          ...calls.map((call) => ({ type: 'toolCall', id: call.id, name: call.name, arguments: call.input })),
        ],
        api: 'ion',
        provider: 'ion',
        model: model ?? 'unknown',
        usage: USAGE,
        stopReason: calls.length > 0 ? 'toolUse' : 'stop',
        timestamp: Date.parse(timestamp),
      },
    }))
    for (const call of calls) {
      add(`result ${call.id}`, call.timestamp, () => ({ type: 'message', message: toolResult(call) }))
    }
  }
}

function toolResult({ id, name, output, isError, timestamp }: ToolCall): object {
  return {
    role: 'toolResult',
    toolCallId: id,
    toolName: name,
    content: [{ type: 'text', text: output }],
    isError,
    timestamp: Date.parse(timestamp),
  }
}
