// ~/.local/share/opencode/opencode.db: the four tables that hold sessions, as 1.18.33 has them.
import { project, resultOf, subjectOf, token } from '../../../../scripts/samples/fields.ts'
import { type Database, insert, type SampleHome } from '../../../../scripts/samples/sample-home.ts'
import type { Answer, Sample, SampleSession, ToolCall, Turn, Usage } from '../../../../scripts/samples/story.ts'

export default {
  sessions: [
    {
      title: 'Migrate order numbers to UUIDs',
      start: '2026-11-07T08:15:30Z',
      model: 'claude-sonnet-4-5',
      steps: [
        { user: 'Plan and write the migration of orders.id from integers to UUIDs. The shop must stay open.' },
        {
          shell: 'psql shop -Atc "SELECT conrelid::regclass FROM pg_constraint WHERE confrelid = \'orders\'::regclass"',
          output: 'order_lines\nrefund_events\nshipments',
        },
        {
          say: 'Three tables point to `orders`. In four steps, each safe on its own:\n\n1. add `uuid` to `orders`, filled by a default\n2. add `order_uuid` to the three tables, filled in batches of 5,000\n3. write both, read the new one\n4. drop the old columns, a release later',
        },
        {
          edit: 'migrations/0035_orders_uuid.sql',
          before: '',
          after:
            'ALTER TABLE orders ADD COLUMN uuid uuid NOT NULL DEFAULT gen_random_uuid();\nCREATE UNIQUE INDEX CONCURRENTLY orders_uuid ON orders (uuid);\n',
        },
        { shell: 'npm run migrate -- --dry-run', output: '0035_orders_uuid: ok (2 statements, no table rewrite)' },
        {
          say: 'Step 1 is written as migration 0035. It takes no long lock: a volatile default fills new rows, and the old ones are filled by the batch job of step 2.',
        },
      ],
    },
  ],
  write,
} satisfies Sample

const schema = `
  CREATE TABLE project (id text PRIMARY KEY, worktree text NOT NULL, vcs text, name text,
    time_created integer NOT NULL, time_updated integer NOT NULL, time_initialized integer, sandboxes text NOT NULL);
  CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, workspace_id text, parent_id text, slug text NOT NULL,
    directory text NOT NULL, path text, title text NOT NULL, version text NOT NULL, share_url text, metadata text,
    cost real DEFAULT 0 NOT NULL, tokens_input integer DEFAULT 0 NOT NULL, tokens_output integer DEFAULT 0 NOT NULL,
    tokens_reasoning integer DEFAULT 0 NOT NULL, tokens_cache_read integer DEFAULT 0 NOT NULL,
    tokens_cache_write integer DEFAULT 0 NOT NULL, revert text, permission text, agent text, model text,
    time_created integer NOT NULL, time_updated integer NOT NULL, time_compacting integer, time_archived integer);
  CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL,
    time_updated integer NOT NULL, data text NOT NULL);
  CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL,
    time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);`

const projectId = token(40, 'opencode', project)

function write(home: SampleHome, sessions: readonly SampleSession[]): void {
  const ends = sessions.map((session) => session.end)
  home.database('.local/share/opencode/opencode.db', Math.max(...ends), (database) => {
    database.exec(schema)
    const first = Math.min(...sessions.map((session) => Date.parse(session.start)))
    insert(database, 'project', {
      id: projectId,
      worktree: project,
      vcs: 'git',
      time_created: first,
      time_updated: first,
      sandboxes: '[]',
    })
    for (const session of sessions) writeSession(database, session)
  })
}

function writeSession(database: Database, session: SampleSession) {
  const { turns } = session
  const id = `ses_${token(26, 'opencode', session.title)}`
  const model = { providerID: 'anthropic', modelID: session.model }
  insert(database, 'session', {
    id,
    project_id: projectId,
    slug: 'quiet-harbour',
    directory: project,
    title: session.title,
    version: '1.18.33',
    agent: 'build',
    model: { id: session.model, providerID: 'anthropic' },
    time_created: Date.parse(session.start),
    time_updated: session.end,
  })
  let parentID: string | undefined
  for (const [n, turn] of turns.entries()) {
    // Ids sort by time, as the real ones do.
    const messageId = `msg_${String(n).padStart(4, '0')}${token(22, id, n)}`
    const end = turn.call?.doneAt ?? turn.at
    const common = { session_id: id, time_created: turn.at, time_updated: end }
    const data =
      turn.user !== undefined
        ? { role: 'user', time: { created: turn.at }, agent: 'build', model }
        : answer(session, turn, parentID, end)
    if (turn.user !== undefined) parentID = messageId
    insert(database, 'message', { id: messageId, ...common, data })
    for (const [k, part] of parts(turn, end).entries()) {
      insert(database, 'part', {
        id: `prt_${String(n).padStart(4, '0')}${k}${token(21, id, n, k)}`,
        message_id: messageId,
        ...common,
        data: part,
      })
    }
  }
}

function answer(session: SampleSession, { at, usage, call }: Answer, parentID: string | undefined, end: number) {
  return {
    parentID,
    role: 'assistant',
    mode: 'build',
    agent: 'build',
    path: { cwd: project, root: project },
    cost: 0,
    tokens: tokens(usage),
    modelID: session.model,
    providerID: 'anthropic',
    time: { created: at, completed: end },
    finish: call ? 'tool-calls' : 'stop',
  }
}

function tokens({ input, cached, written, output }: Usage) {
  return { input, output, reasoning: 0, cache: { read: cached, write: written } }
}

function parts(turn: Turn, end: number): object[] {
  if (turn.user !== undefined) return [{ type: 'text', text: turn.user }]
  const time = { start: turn.at, end }
  return [
    { type: 'step-start' },
    ...(turn.thought ? [{ type: 'reasoning', text: turn.thought, time }] : []),
    ...(turn.text ? [{ type: 'text', text: turn.text, time }] : []),
    ...(turn.call ? [{ type: 'tool', callID: `call_${turn.call.id}`, ...tool(turn.call, time) }] : []),
    { type: 'step-finish', reason: turn.call ? 'tool-calls' : 'stop', tokens: tokens(turn.usage), cost: 0 },
  ]
}

function tool(call: ToolCall, time: { start: number; end: number }) {
  const [name, input] =
    call.kind === 'shell'
      ? ['bash', { command: call.command, description: 'Run a command' }]
      : call.kind === 'read'
        ? ['read', { filePath: call.path }]
        : ['edit', { filePath: call.path, oldString: call.before, newString: call.after }]
  return {
    tool: name,
    state: { status: 'completed', input, output: resultOf(call), title: subjectOf(call), metadata: {}, time },
  }
}
