// ~/.codex/sessions/Y/M/D/rollout-<time>-<id>.jsonl, legacy mode, and the names in session_index.jsonl.
import { project } from '../story.mjs'
import { endOf, iso, resultOf, turnsOf, uuid } from '../turns.mjs'

export function write(home, sessions) {
  const names = []
  for (const session of sessions) {
    const turns = turnsOf(session)
    const id = uuid('codex', session.title)
    const start = iso(Date.parse(session.start))
    const file = `rollout-${start.slice(0, 19).replaceAll(':', '-')}-${id}.jsonl`
    home.lines(
      `.codex/sessions/${start.slice(0, 10).replaceAll('-', '/')}/${file}`,
      [...records(session, turns, id)],
      endOf(turns),
    )
    names.push({ id, thread_name: session.title, updated_at: iso(endOf(turns)) })
  }
  home.lines(
    '.codex/session_index.jsonl',
    names.reverse(),
    Math.max(...names.map((name) => Date.parse(name.updated_at))),
  )
}

function* records(session, turns, id) {
  const line = (time, type, payload) => ({ timestamp: iso(time), type, payload })
  const item = (time, payload) => line(time, 'response_item', payload)
  const start = Date.parse(session.start)
  const git = { commit_hash: '4be1d0c9f2a7', branch: 'main' }
  const meta = {
    id,
    timestamp: iso(start),
    cwd: project,
    originator: 'codex_cli_rs',
    cli_version: '0.166.0',
    source: 'cli',
    model_provider: 'openai',
    git,
  }
  yield line(start, 'session_meta', meta)
  let total = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, reasoning_output_tokens: 0, total_tokens: 0 }
  for (const turn of turns) {
    if (turn.user) {
      yield line(turn.at, 'turn_context', {
        cwd: project,
        approval_policy: 'on-request',
        model: session.model,
        summary: 'auto',
      })
      yield item(turn.at, { type: 'message', role: 'user', content: [{ type: 'input_text', text: turn.user }] })
      yield line(turn.at, 'event_msg', { type: 'user_message', message: turn.user })
      continue
    }
    if (turn.thought) {
      yield item(turn.at, {
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: turn.thought }],
        content: null,
        encrypted_content: null,
      })
    }
    if (turn.text) {
      yield item(turn.at, { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: turn.text }] })
      yield line(turn.at, 'event_msg', { type: 'agent_message', message: turn.text })
    }
    if (turn.call) yield* toolCall(turn.call, turn.at, item)
    const last = usage(turn)
    total = Object.fromEntries(Object.entries(total).map(([name, count]) => [name, count + last[name]]))
    yield line(turn.call?.doneAt ?? turn.at, 'event_msg', {
      type: 'token_count',
      info: { total_token_usage: total, last_token_usage: last, model_context_window: 258400 },
      rate_limits: null,
    })
  }
}

/** Codex counts the cached part as input too. */
function usage({ usage: { input, cached, output }, thought }) {
  const reasoning = thought ? Math.round(thought.length / 4) : 0
  return {
    input_tokens: input + cached,
    cached_input_tokens: cached,
    output_tokens: output,
    reasoning_output_tokens: reasoning,
    total_tokens: input + cached + output,
  }
}

function* toolCall(call, at, item) {
  const call_id = `call_${call.id}`
  if (call.kind === 'edit') {
    const patch = `*** Begin Patch\n*** Update File: ${call.path}\n@@\n-${call.before}\n+${call.after}\n*** End Patch`
    yield item(at, { type: 'custom_tool_call', status: 'completed', call_id, name: 'apply_patch', input: patch })
    yield item(call.doneAt, {
      type: 'custom_tool_call_output',
      call_id,
      output: `Success. Updated the following files:\nM ${call.path}`,
    })
    return
  }
  const cmd = call.kind === 'read' ? `sed -n 1,120p ${call.path}` : call.command
  yield item(at, { type: 'function_call', name: 'exec_command', arguments: JSON.stringify({ cmd }), call_id })
  const output = `Process exited with code ${call.code ?? 0}\nOutput:\n${resultOf(call)}\n`
  yield item(call.doneAt, { type: 'function_call_output', call_id, output })
}
