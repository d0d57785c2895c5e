import { createHash } from 'node:crypto'
import { uuidV5 } from '../../events/id.ts'
import type { Message, NewSession, SessionWriter, UserMessage, WrittenSession } from '../write.ts'
import { CLOSE, OPEN, SUMMARY } from './messages.ts'
import { chatsFolderNames } from './paths.ts'
import { ROOT } from './records.ts'
import { message as encoded } from './write-message.ts'

/**
 * A chat of its own database: the messages to and from the model as JSON, and a root that names them in their order. Others
 * report that cursor-agent resumes such a chat; it needs a login, so nobody has seen that here.
 */
export const writer: SessionWriter = {
  // Those that the reports are about.
  proven: { oldest: '2026.07.09', newest: '2026.08.11' },
  budget: 120_000,
  calls: 'kept',
  images: false,
  isExperimental: true,
  prepare: () => write,
}

function write({ id, cwd, title, at, messages }: NewSession): WrittenSession {
  const blobs = new Map<string, Uint8Array>()
  const put = (data: Uint8Array): Buffer => {
    const hash = createHash('sha256').update(data).digest()
    blobs.set(hash.toString('hex'), data)
    return hash
  }
  const names = messages.flatMap((message) => modelMessages(message, id)).map((one) => put(asJson(one)))
  const root = put(encoded(...names.map((name) => [ROOT.messages, name] as const)))
  const time = Date.parse(at)
  // Without blobEncryptionKey: a secret, which is Cursor's to choose.
  const meta = {
    agentId: id,
    latestRootBlobId: root.toString('hex'),
    name: title,
    mode: 'default',
    isRunEverything: false,
    createdAt: time,
  }
  const description = { schemaVersion: 1, createdAtMs: time, updatedAtMs: time, hasConversation: true, cwd }
  const folder = `chats/${chatsFolderNames(cwd)[0]}/${id}`
  return {
    nativeId: id,
    parts: [
      {
        kind: 'file',
        root: 'config',
        path: `${folder}/meta.json`,
        form: 'whole',
        content: JSON.stringify(description),
      },
      {
        kind: 'database',
        root: 'config',
        path: `${folder}/store.db`,
        schema: [
          'CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB)',
          'CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)',
          'PRAGMA user_version = 1',
        ],
        rows: {
          blobs: [...blobs],
          meta: [['0', asJson(meta).toString('hex')]],
        },
      },
    ],
  }
}

function asJson(value: object): Buffer {
  return Buffer.from(JSON.stringify(value))
}

/** As the model's API has them. The ids make two equal messages two blobs. */
function modelMessages(message: Message, session: string): object[] {
  const id = uuidV5(`${session}/${message.id}`)
  if (message.role === 'user') {
    return [{ role: 'user', id, content: [{ type: 'text', text: userText(message) }] }]
  }
  const content = message.content.map((block) =>
    block.type === 'text'
      ? block
      : { type: 'tool-call', toolCallId: block.id, toolName: block.name, args: block.input },
  )
  const results = message.content.flatMap((block) =>
    block.type === 'text'
      ? []
      : [
          {
            type: 'tool-result',
            toolCallId: block.id,
            toolName: block.name,
            result: block.output,
            ...(block.isError ? { isError: true } : {}),
          },
        ],
  )
  const answer = { role: 'assistant', id, content }
  return results.length > 0
    ? [answer, { role: 'tool', id: uuidV5(`${session}/results of ${message.id}`), content: results }]
    : [answer]
}

function userText({ content, isSummary }: UserMessage): string {
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
  return isSummary ? `${SUMMARY} ${text}` : `${OPEN}\n${text}\n${CLOSE}`
}
