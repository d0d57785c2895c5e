import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type FakeAgent, type FakeCall, type FakeWorld, parseArguments } from '../../../../test/fake-agent/fake.ts'
import { privateFolder } from '../../../platform/atomic-file.ts'
import { type Database, openDatabase } from '../../../platform/sqlite.ts'
import { activeRoot } from '../paths.ts'
import { allBytes, bytesOf, readMessage } from '../protobuf.ts'
import { AGENT_TURN, ROOT, SPOKEN, STEP, TURN, USER } from '../records.ts'
import { readMeta } from '../store.ts'
import { message } from '../write-message.ts'

/** Behaves as others report; the program itself was not run: see ../README.md. */
export const fake: FakeAgent = {
  version: '2026.08.11-scripted',
  parse,
  has: (session, world) => existsSync(storeOf(session, world)),
  // The description is written at once, the store with the conversation.
  create(call, world) {
    const chat = call.chosen ?? call.resume ?? randomUUID()
    const description = {
      schemaVersion: 1,
      createdAtMs: Date.parse(world.now()),
      hasConversation: false,
      cwd: world.cwd,
    }
    world.replace(join(dirname(storeOf(chat, world)), 'meta.json'), JSON.stringify(description))
    return chat
  },
  prompt: (session, text, world) =>
    within(session, world, (chat) => {
      const user = chat.put(message([USER.text, text], [USER.id, randomUUID()]))
      chat.setTurns([...chat.turns(), chat.put(message([TURN.agent, message([AGENT_TURN.userMessage, user])]))])
    }),
  answer: (session, text, world) =>
    within(session, world, (chat) => {
      const step = chat.put(message([STEP.assistant, message([SPOKEN.text, text])]))
      const turns = chat.turns()
      const user = chat.userOf(turns.at(-1)!)
      const turn = message([TURN.agent, message([AGENT_TURN.userMessage, user], [AGENT_TURN.steps, step])])
      chat.setTurns([...turns.slice(0, -1), chat.put(turn)])
    }),
  opening: (session) => `${JSON.stringify({ type: 'system', subtype: 'init', session_id: session })}\n`,
  output: (session, result) =>
    `${JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result, session_id: session })}\n`,
}

/** An unknown id silently starts a chat with that id. */
function parse(argv: readonly string[], world: FakeWorld): FakeCall {
  const { options, positional: words } = parseArguments(argv, ['resume', 'workspace', 'output-format', 'model'])
  const headless = options.has('p')
  const prompt = words[0] ?? (headless ? world.stdin() : '')
  const resume = options.get('resume')
  return { interactive: !headless, ...(prompt ? { prompt } : {}), ...(resume === undefined ? {} : { resume }) }
}

function storeOf(chat: string, { io, cwd }: FakeWorld): string {
  return join(activeRoot(io), 'chats', createHash('md5').update(cwd).digest('hex'), chat, 'store.db')
}

/** What is known of a store: blobs by hash, and which of them is the root. */
class Chat {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  put(data: Buffer): Buffer {
    const id = createHash('sha256').update(data).digest()
    this.#database.prepare('INSERT OR IGNORE INTO blobs VALUES (?, ?)').run(id.toString('hex'), data)
    return id
  }

  turns(): Buffer[] {
    const { root } = readMeta(this.#database)
    return root === '' ? [] : allBytes(readMessage(this.#get(root)), ROOT.turns)
  }

  /** The prompt of a turn. */
  userOf(turn: Buffer): Buffer {
    const agent = bytesOf(readMessage(this.#get(turn.toString('hex'))), TURN.agent)!
    return bytesOf(readMessage(agent), AGENT_TURN.userMessage)!
  }

  setTurns(turns: readonly Buffer[]): void {
    const root = this.put(message(...turns.map((turn) => [ROOT.turns, turn] as const)))
    this.#describe({ latestRootBlobId: root.toString('hex') })
  }

  #describe(meta: object): void {
    const hex = Buffer.from(JSON.stringify({ name: 'New Agent', ...meta })).toString('hex')
    this.#database.prepare("INSERT OR REPLACE INTO meta VALUES ('0', ?)").run(hex)
  }

  #get(id: string): Uint8Array {
    return (this.#database.prepare('SELECT data FROM blobs WHERE id = ?').get(id) as { data: Uint8Array }).data
  }
}

function within(session: string, world: FakeWorld, body: (chat: Chat) => void): void {
  const path = storeOf(session, world)
  privateFolder(dirname(path))
  const database = openDatabase(path)
  try {
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5000; PRAGMA user_version = 1; BEGIN IMMEDIATE;
      CREATE TABLE IF NOT EXISTS blobs (id TEXT PRIMARY KEY, data BLOB);
      CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT);
      INSERT OR IGNORE INTO meta VALUES ('0', '${Buffer.from('{"latestRootBlobId":""}').toString('hex')}')`)
    body(new Chat(database))
    database.exec('COMMIT')
  } finally {
    database.close()
  }
}
