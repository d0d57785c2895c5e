// ~/.local/share/amazon-q/data.sqlite3: one conversation per folder, in the table `conversations`.
import { insert } from '../files.mjs'
import { project } from '../story.mjs'
import { endOf, iso, resultOf, turnsOf, uuid } from '../turns.mjs'

export function write(home, sessions) {
  const ends = sessions.map((session) => endOf(turnsOf(session)))
  home.database('.local/share/amazon-q/data.sqlite3', Math.max(...ends), (database) => {
    database.exec('CREATE TABLE conversations (key TEXT PRIMARY KEY, value TEXT)')
    for (const session of sessions) insert(database, 'conversations', { key: project, value: conversation(session) })
  })
}

function conversation(session) {
  const turns = turnsOf(session)
  const history = []
  let content
  let asked
  for (const [n, turn] of turns.entries()) {
    if (turn.user) {
      content = { Prompt: { prompt: turn.user } }
      asked = turn.at
      continue
    }
    const user = {
      additional_context: '',
      env_context: { env_state: environment },
      content,
      timestamp: iso(asked).replace('Z', '+00:00'),
      images: null,
    }
    history.push({ user, assistant: answer(session, turn, n), request_metadata: metadata(session, turn, n) })
    if (turn.call) {
      content = { ToolUseResults: { tool_use_results: [toolResult(turn.call)] } }
      asked = turn.call.doneAt
    }
  }
  return {
    conversation_id: uuid('amazon-q', session.title),
    next_message: null,
    history,
    valid_history_range: [0, history.length],
    transcript: turns.flatMap((turn) => (turn.user ? [`> ${turn.user}`] : turn.text ? [turn.text] : [])),
    tools: {},
    context_manager: null,
    context_message_length: 0,
    latest_summary: null,
    model: session.model,
  }
}

const environment = { operating_system: 'linux', current_working_directory: project, environment_variables: [] }

function answer(session, turn, n) {
  const common = { message_id: uuid(session.title, n), content: turn.text ?? '' }
  return turn.call ? { ToolUse: { ...common, tool_uses: [toolUse(turn.call)] } } : { Response: common }
}

function toolUse(call) {
  const [name, args] =
    call.kind === 'shell'
      ? ['execute_bash', { command: call.command }]
      : call.kind === 'read'
        ? ['fs_read', { operations: [{ mode: 'Line', path: call.path }] }]
        : ['fs_write', { command: 'str_replace', path: call.path, old_str: call.before, new_str: call.after }]
  return { id: `tooluse_${call.id}`, name, orig_name: name, args, orig_args: args }
}

function toolResult(call) {
  return {
    tool_use_id: `tooluse_${call.id}`,
    content: [{ Text: resultOf(call) }],
    status: call.failed ? 'Error' : 'Success',
  }
}

function metadata(session, turn, n) {
  return {
    request_id: uuid(session.title, 'request', n),
    message_id: uuid(session.title, n),
    request_start_timestamp_ms: turn.at,
    stream_end_timestamp_ms: turn.at + 2400,
    time_to_first_chunk: { secs: 1, nanos: 0 },
    time_between_chunks: [],
    user_prompt_length: 120,
    response_size: (turn.text ?? '').length,
    chat_conversation_type: turn.call ? 'ToolUse' : 'NotToolUse',
    tool_use_ids_and_names: [],
    model_id: session.model,
    message_meta_tags: [],
  }
}
