// ~/.local/share/amp/threads/T-<id>.json, as the builds of early 2026 keep them.
import { project } from '../story.mjs'
import { endOf, iso, resultOf, turnsOf, uuid } from '../turns.mjs'

export function write(home, sessions) {
  for (const session of sessions) {
    const turns = turnsOf(session)
    const id = `T-${uuid('amp', session.title)}`
    const messages = turns
      .flatMap((turn) => messagesOf(session, turn))
      .map((message, messageId) => ({ ...message, messageId }))
    home.json(
      `.local/share/amp/threads/${id}.json`,
      {
        v: messages.length,
        id,
        created: Date.parse(session.start),
        title: session.title,
        messages,
        agentMode: 'smart',
        nextMessageId: messages.length,
        env: {
          initial: { trees: [{ displayName: 'shop', uri: `file://${project}` }], platform: { os: 'linux' }, tags: [] },
        },
      },
      endOf(turns),
    )
  }
}

function messagesOf(session, turn) {
  if (turn.user) return [{ role: 'user', content: [{ type: 'text', text: turn.user }], meta: { sentAt: turn.at } }]
  const { call, usage } = turn
  const content = [
    ...(turn.text ? [{ type: 'text', text: turn.text }] : []),
    ...(call ? [{ type: 'tool_use', id: `toolu_${call.id}`, ...tool(call), complete: true }] : []),
  ]
  const answer = {
    role: 'assistant',
    content,
    state: { type: 'complete', stopReason: call ? 'tool_use' : 'end_turn' },
    usage: {
      model: session.model,
      inputTokens: usage.input,
      outputTokens: usage.output,
      cacheCreationInputTokens: usage.written,
      cacheReadInputTokens: usage.cached,
      totalInputTokens: usage.input + usage.written + usage.cached,
      timestamp: iso(turn.at),
    },
  }
  if (!call) return [answer]
  const result = call.kind === 'shell' ? { output: call.output, exitCode: call.code } : { content: resultOf(call) }
  const block = { type: 'tool_result', toolUseID: `toolu_${call.id}`, run: { status: 'done', result } }
  return [answer, { role: 'user', content: [block] }]
}

function tool(call) {
  if (call.kind === 'shell') return { name: 'Bash', input: { cmd: call.command, cwd: project } }
  if (call.kind === 'read') return { name: 'Read', input: { path: call.path } }
  return { name: 'edit_file', input: { path: call.path, old_str: call.before, new_str: call.after } }
}
