// ~/.claude/projects/<folder>/<id>.jsonl: one record per block, as 2.1.325 writes them.
import { project } from '../story.mjs'
import { endOf, iso, resultOf, turnsOf, uuid } from '../turns.mjs'

export function write(home, sessions) {
  const folder = project.replace(/[^A-Za-z0-9]/g, '-')
  for (const session of sessions) {
    const turns = turnsOf(session)
    const id = uuid('claude', session.title)
    home.lines(`.claude/projects/${folder}/${id}.jsonl`, [...records(session, turns, id)], endOf(turns))
  }
}

function* records(session, turns, sessionId) {
  const envelope = {
    userType: 'external',
    entrypoint: 'cli',
    cwd: project,
    sessionId,
    version: '2.1.325',
    gitBranch: 'main',
  }
  let parentUuid = null
  let count = 0
  const record = (time, rest) => {
    const before = { parentUuid, isSidechain: false }
    parentUuid = uuid(sessionId, ++count)
    return { ...before, ...rest, uuid: parentUuid, timestamp: iso(time), ...envelope }
  }
  for (const [n, turn] of turns.entries()) {
    if (turn.user) {
      yield record(turn.at, {
        promptId: uuid(sessionId, 'prompt', n),
        type: 'user',
        message: { role: 'user', content: turn.user },
      })
      continue
    }
    for (const block of blocks(turn))
      yield record(turn.at, { message: message(session, turn, n, block), requestId: `req_${n}`, type: 'assistant' })
    if (turn.call) yield record(turn.call.doneAt, toolResult(turn.call))
  }
  yield { type: 'custom-title', customTitle: session.title, sessionId }
  yield { type: 'last-prompt', lastPrompt: turns.findLast((turn) => turn.user).user, leafUuid: parentUuid, sessionId }
}

function blocks({ thought, text, call }) {
  return [
    ...(thought ? [{ type: 'thinking', thinking: thought, signature: '' }] : []),
    ...(text ? [{ type: 'text', text }] : []),
    ...(call ? [{ type: 'tool_use', id: `toolu_${call.id}`, ...tool(call) }] : []),
  ]
}

/** Each block repeats the usage of the whole message. */
function message(session, { usage, call }, n, block) {
  return {
    id: `msg_${uuid(session.title, n).slice(0, 8)}`,
    type: 'message',
    role: 'assistant',
    model: session.model,
    content: [block],
    stop_reason: call ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: usage.input,
      cache_creation_input_tokens: usage.written,
      cache_read_input_tokens: usage.cached,
      output_tokens: usage.output,
    },
  }
}

function tool(call) {
  if (call.kind === 'shell') return { name: 'Bash', input: { command: call.command } }
  if (call.kind === 'read') return { name: 'Read', input: { file_path: call.path } }
  if (call.before === '') return { name: 'Write', input: { file_path: call.path, content: call.after } }
  return { name: 'Edit', input: { file_path: call.path, old_string: call.before, new_string: call.after } }
}

function toolResult(call) {
  const result = {
    tool_use_id: `toolu_${call.id}`,
    type: 'tool_result',
    content: resultOf(call),
    is_error: call.failed,
  }
  return { type: 'user', message: { role: 'user', content: [result] } }
}
