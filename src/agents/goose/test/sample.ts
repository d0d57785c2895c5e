// ~/.local/share/goose/sessions/sessions.db, schema 16 (1.52.0).
import { iso, project, resultOf, uuid } from '../../../../scripts/samples/fields.ts'
import { type Database, insert, type SampleHome } from '../../../../scripts/samples/sample-home.ts'
import type { Answer, Sample, SampleSession, ToolCall } from '../../../../scripts/samples/story.ts'

export default {
  sessions: [
    {
      title: 'Empty old carts every night',
      start: '2026-10-30T19:48:10Z',
      model: 'gpt-4o',
      steps: [
        {
          user: 'Write a nightly job that deletes carts nobody has touched for 30 days. Keep those of logged-in customers.',
        },
        {
          shell:
            'psql shop -Atc "SELECT count(*) FROM carts WHERE updated_at < now() - interval \'30 days\' AND customer_id IS NULL"',
          output: '18244',
        },
        {
          edit: 'jobs/empty-old-carts.ts',
          before: '',
          after:
            "export const schedule = '15 3 * * *'\nexport async function run() {\n  // In slices: one large DELETE would block the cart page.\n  while ((await db.deleteOldCarts({ days: 30, limit: 500 })) === 500);\n}\n",
        },
        { shell: 'npm run job -- empty-old-carts --dry-run', output: 'would delete 18244 carts in 37 slices' },
        {
          say: 'The job runs at 03:15 and deletes in slices of 500. The dry run finds 18,244 carts, none of a logged-in customer.',
        },
      ],
    },
  ],
  write,
} satisfies Sample

const schema = `
  CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
  INSERT INTO schema_version VALUES (16, '2026-10-01 08:00:00');
  CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', description TEXT NOT NULL DEFAULT '',
    user_set_name BOOLEAN DEFAULT FALSE, session_type TEXT NOT NULL DEFAULT 'user', working_dir TEXT NOT NULL,
    created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    extension_data TEXT DEFAULT '{}', total_tokens INTEGER, input_tokens INTEGER, output_tokens INTEGER,
    cache_read_tokens INTEGER, cache_write_tokens INTEGER, accumulated_total_tokens INTEGER,
    accumulated_input_tokens INTEGER, accumulated_output_tokens INTEGER, accumulated_cache_read_tokens INTEGER,
    accumulated_cache_write_tokens INTEGER, accumulated_cost REAL, schedule_id TEXT, recipe_json TEXT,
    user_recipe_values_json TEXT, provider_name TEXT, model_config_json TEXT, goose_mode TEXT NOT NULL DEFAULT 'auto',
    archived_at TIMESTAMP, project_id TEXT, parent_session_id TEXT);
  CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT,
    session_id TEXT NOT NULL REFERENCES sessions(id), role TEXT NOT NULL, content_json TEXT NOT NULL,
    created_timestamp INTEGER NOT NULL, timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP, tokens INTEGER, metadata_json TEXT);
  CREATE INDEX idx_messages_session ON messages(session_id);
  CREATE INDEX idx_messages_session_created ON messages(session_id, created_timestamp, id);`

const sqlTime = (time: number) => iso(time).slice(0, 19).replace('T', ' ')

function write(home: SampleHome, sessions: readonly SampleSession[]): void {
  const ends = sessions.map((session) => session.end)
  home.database('.local/share/goose/sessions/sessions.db', Math.max(...ends), (database) => {
    database.exec(schema)
    for (const session of sessions) writeSession(database, session)
  })
}

function writeSession(database: Database, session: SampleSession) {
  const { turns } = session
  const start = Date.parse(session.start)
  const id = `${iso(start).slice(0, 10).replaceAll('-', '')}_1`
  const costs = turns.flatMap((turn) => (turn.user === undefined ? [usage(turn)] : []))
  const sum = (name: keyof ReturnType<typeof usage>): number => costs.reduce((total, cost) => total + cost[name], 0)
  insert(database, 'sessions', {
    id,
    name: session.title,
    user_set_name: 1,
    working_dir: project,
    created_at: sqlTime(start),
    updated_at: sqlTime(session.end),
    accumulated_total_tokens: sum('totalTokens'),
    accumulated_input_tokens: sum('inputTokens'),
    accumulated_output_tokens: sum('outputTokens'),
    provider_name: 'openai',
    model_config_json: { model_name: session.model },
  })
  const row = (role: string, time: number, n: number, content: object[], more = {}): void =>
    insert(database, 'messages', {
      message_id: role === 'user' ? `msg_${uuid(id, n, time)}` : `chatcmpl-${uuid(id, n).slice(0, 8)}`,
      session_id: id,
      role,
      content_json: content,
      created_timestamp: Math.floor(time / 1000),
      timestamp: sqlTime(time),
      metadata_json: { userVisible: true, agentVisible: true, ...more },
    })
  for (const [n, turn] of turns.entries()) {
    if (turn.user !== undefined) {
      row('user', turn.at, n, [{ type: 'text', text: turn.user }])
      continue
    }
    const content = [
      ...(turn.text ? [{ type: 'text', text: turn.text }] : []),
      ...(turn.call
        ? [{ type: 'toolRequest', id: `call_${turn.call.id}`, toolCall: { status: 'success', value: tool(turn.call) } }]
        : []),
    ]
    row('assistant', turn.at, n, content, {
      inference: { provider: 'openai', requestedModel: session.model },
      usage: usage(turn),
    })
    if (turn.call) row('user', turn.call.doneAt, n, [toolResponse(turn.call)])
  }
}

function usage({ usage: { input, cached, output } }: Answer) {
  return { inputTokens: input + cached, outputTokens: output, totalTokens: input + cached + output }
}

function tool(call: ToolCall) {
  if (call.kind === 'shell') return { name: 'shell', arguments: { command: call.command } }
  if (call.kind === 'read') return { name: 'text_editor', arguments: { command: 'view', path: call.path } }
  return { name: 'text_editor', arguments: { command: 'write', path: call.path, file_text: call.after } }
}

function toolResponse(call: ToolCall) {
  const value = { resultType: 'complete', content: [{ type: 'text', text: resultOf(call) }], isError: call.failed }
  return { type: 'toolResponse', id: `call_${call.id}`, toolResult: { status: 'success', value } }
}
