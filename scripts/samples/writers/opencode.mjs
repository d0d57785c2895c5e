// ~/.local/share/opencode/opencode.db: the four tables that hold sessions, as 1.18.33 has them.
import { insert } from '../files.mjs'
import { project } from '../story.mjs'
import { endOf, resultOf, token, turnsOf } from '../turns.mjs'

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

export function write(home, sessions) {
  const ends = sessions.map((session) => endOf(turnsOf(session)))
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

function writeSession(database, session) {
  const turns = turnsOf(session)
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
    time_updated: endOf(turns),
  })
  let parentID
  for (const [n, turn] of turns.entries()) {
    // Ids sort by time, as the real ones do.
    const messageId = `msg_${String(n).padStart(4, '0')}${token(22, id, n)}`
    const end = turn.call?.doneAt ?? turn.at
    const common = { session_id: id, time_created: turn.at, time_updated: end }
    const data = turn.user
      ? { role: 'user', time: { created: turn.at }, agent: 'build', model }
      : answer(session, turn, parentID, end)
    if (turn.user) parentID = messageId
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

function answer(session, { at, usage, call }, parentID, end) {
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

function tokens({ input, cached, written, output }) {
  return { input, output, reasoning: 0, cache: { read: cached, write: written } }
}

function parts(turn, end) {
  if (turn.user) return [{ type: 'text', text: turn.user }]
  const time = { start: turn.at, end }
  return [
    { type: 'step-start' },
    ...(turn.thought ? [{ type: 'reasoning', text: turn.thought, time }] : []),
    ...(turn.text ? [{ type: 'text', text: turn.text, time }] : []),
    ...(turn.call ? [{ type: 'tool', callID: `call_${turn.call.id}`, ...tool(turn.call, time) }] : []),
    { type: 'step-finish', reason: turn.call ? 'tool-calls' : 'stop', tokens: tokens(turn.usage), cost: 0 },
  ]
}

function tool(call, time) {
  const [name, input] =
    call.kind === 'shell'
      ? ['bash', { command: call.command, description: 'Run a command' }]
      : call.kind === 'read'
        ? ['read', { filePath: call.path }]
        : ['edit', { filePath: call.path, oldString: call.before, newString: call.after }]
  return {
    tool: name,
    state: { status: 'completed', input, output: resultOf(call), title: call.command ?? call.path, metadata: {}, time },
  }
}
