import { randomUUID } from 'node:crypto'
import { dirname } from 'node:path'
import { type FakeAgent, type FakeCall, type FakeWorld, parseArguments } from '../../../../test/fake-agent/fake.ts'
import { privateFolder } from '../../../platform/atomic-file.ts'
import { type Database, openDatabase } from '../../../platform/sqlite.ts'
import { RESUME_PROMPT } from '../../_shared/conversation-state.ts'
import { databasePath } from '../paths.ts'

interface State {
  readonly conversation_id: string
  readonly history: readonly object[]
}

/** Prompts without an answer: they are only in memory. */
const asked = new Map<string, object>()

/** As measured on 1.19.7: see ../README.md. */
export const fake: FakeAgent = {
  version: 'q 1.19.7',
  parse,
  // The id comes from the folder's row, so it exists.
  has: (session, world) => stateIn(world)?.conversation_id === session,
  create: () => randomUUID(),
  prompt(session, prompt, world) {
    const env_state = { operating_system: 'linux', current_working_directory: world.cwd, environment_variables: [] }
    asked.set(session, {
      additional_context: '',
      env_context: { env_state },
      content: { Prompt: { prompt } },
      timestamp: world.now(),
    })
  },
  // The row is written when an answer is complete, whatever was there before.
  answer(conversation_id, content, world) {
    const before = stateIn(world)
    const message_id = randomUUID()
    const entry = {
      user: asked.get(conversation_id),
      assistant: { Response: { message_id, content } },
      request_metadata: { message_id, stream_end_timestamp_ms: Date.parse(world.now()), model_id: 'fake' },
    }
    const history = [...(before?.conversation_id === conversation_id ? before.history : []), entry]
    const state = { conversation_id, history, valid_history_range: [0, history.length], transcript: [], tools: {} }
    within(world, (database) =>
      database
        .prepare(
          'INSERT INTO conversations (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
        )
        .run(world.cwd, JSON.stringify(state)),
    )
  },
}

function parse(argv: readonly string[], world: FakeWorld): FakeCall {
  const { options, positional: words } = parseArguments(argv, ['agent', 'model', 'trust-tools', 'wrap'])
  const interactive = !options.has('no-interactive')
  const input = words[1] ?? (interactive ? undefined : world.stdin().trim() || undefined)
  if (!interactive && input === undefined) {
    return { interactive, refusal: { text: 'Input must be supplied when running in non-interactive mode', code: 1 } }
  }
  // An empty or missing row silently starts a new conversation.
  const state = options.has('resume') ? stateIn(world) : undefined
  const resume = state?.history.length ? state.conversation_id : undefined
  // Commands of the chat and of the shell reach neither the model nor the store.
  const isCommand = input !== undefined && /^\s*[/!]/.test(input)
  const prompt = isCommand ? undefined : (input ?? (resume === undefined ? undefined : RESUME_PROMPT))
  return {
    interactive,
    ...(prompt === undefined ? {} : { prompt }),
    ...(resume === undefined ? {} : { resume }),
  }
}

function stateIn(world: FakeWorld): State | undefined {
  const row = within(world, (database) =>
    database.prepare('SELECT value FROM conversations WHERE key = ?').get(world.cwd),
  ) as { value: string } | undefined
  return row && (JSON.parse(row.value) as State)
}

function within<T>(world: FakeWorld, body: (database: Database) => T): T {
  const path = databasePath(world.io)
  privateFolder(dirname(path))
  const database = openDatabase(path)
  try {
    database.exec(
      'PRAGMA busy_timeout = 10000; CREATE TABLE IF NOT EXISTS conversations (key TEXT PRIMARY KEY, value TEXT)',
    )
    return body(database)
  } finally {
    database.close()
  }
}
