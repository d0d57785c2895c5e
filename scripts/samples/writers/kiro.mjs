// ~/.kiro/sessions/cli/<id>.json and .jsonl: engine v2.
import { project } from '../story.mjs'
import { endOf, iso, resultOf, turnsOf, uuid } from '../turns.mjs'

export function write(home, sessions) {
  for (const session of sessions) {
    const turns = turnsOf(session)
    const id = uuid('kiro', session.title)
    const end = endOf(turns)
    home.lines(`.kiro/sessions/cli/${id}.jsonl`, [...lines(turns, id)], end)
    home.json(
      `.kiro/sessions/cli/${id}.json`,
      {
        session_id: id,
        cwd: project,
        created_at: micros(Date.parse(session.start)),
        updated_at: micros(end),
        title: session.title,
        parent_session_id: null,
        session_created_reason: 'user',
        session_state: {
          version: 'v1',
          conversation_metadata: {
            user_turn_metadatas: usage(turns),
            user_turn_start_request: null,
            last_request: null,
          },
          rts_model_state: {
            conversation_id: id,
            model_info: { model_name: session.model, model_id: session.model },
            context_usage_percentage: 4.2,
          },
          permissions: { trusted_tools: [], denied_tools: [], allowed_commands: [] },
          agent_name: null,
        },
      },
      end,
    )
  }
}

const micros = (time) => iso(time).replace('Z', '000Z')

function* lines(turns, id) {
  const line = (kind, n, content, more = {}) => ({
    version: 'v1',
    kind,
    data: { message_id: uuid(id, kind, n), content, ...more },
  })
  for (const [n, turn] of turns.entries()) {
    if (turn.user) {
      yield line('Prompt', n, [{ kind: 'text', data: turn.user }], { meta: { timestamp: Math.floor(turn.at / 1000) } })
      continue
    }
    yield line('AssistantMessage', n, [
      ...(turn.text ? [{ kind: 'text', data: turn.text }] : []),
      ...(turn.call ? [{ kind: 'toolUse', data: { toolUseId: `tooluse_${turn.call.id}`, ...tool(turn.call) } }] : []),
    ])
    if (turn.call) {
      const data = {
        toolUseId: `tooluse_${turn.call.id}`,
        content: [{ kind: 'text', data: resultOf(turn.call) }],
        status: turn.call.failed ? 'error' : 'success',
      }
      yield line('ToolResults', n, [{ kind: 'toolResult', data }])
    }
  }
}

function tool(call) {
  if (call.kind === 'shell') return { name: 'shell', input: { command: call.command } }
  if (call.kind === 'read') return { name: 'read', input: { operations: [{ mode: 'Line', path: call.path }] } }
  return { name: 'write', input: { command: 'create', path: call.path, content: call.after } }
}

function usage(turns) {
  return turns.flatMap((turn) =>
    turn.usage && !turn.call
      ? [
          {
            input_token_count: turn.usage.input + turn.usage.cached,
            output_token_count: turn.usage.output,
            end_timestamp: iso(turn.at),
          },
        ]
      : [],
  )
}
