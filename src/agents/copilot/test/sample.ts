// ~/.copilot/session-state/<id>/events.jsonl and workspace.yaml, as 1.0.102 writes them.
import { iso, project, resultOf, uuid } from '../../../../scripts/samples/fields.ts'
import type { SampleHome } from '../../../../scripts/samples/sample-home.ts'
import type { Answer, Sample, SampleSession, ToolCall } from '../../../../scripts/samples/story.ts'

export default {
  sessions: [
    {
      title: 'Checkout button hidden behind the footer on phones',
      start: '2026-11-10T15:22:00Z',
      model: 'gpt-4.1',
      steps: [
        { user: 'On small phones the checkout button is hidden behind the footer. Fix the CSS, no JavaScript please.' },
        {
          read: 'public/styles/cart.css',
          output:
            '.footer { position: fixed; bottom: 0; height: 64px }\n.cart   { padding: 16px }\n.checkout { width: 100% }\n',
        },
        {
          edit: 'public/styles/cart.css',
          before: '.cart   { padding: 16px }',
          after: '.cart   { padding: 16px 16px calc(64px + 16px + env(safe-area-inset-bottom)) }',
        },
        {
          say: 'The footer is fixed and 64 px high, and nothing kept that space free. The cart now has padding for it, and for the home bar of newer phones. No JavaScript.',
        },
        { user: 'Looks right on my phone. Thanks!' },
        { say: 'Good. The change is one line in `public/styles/cart.css`.' },
      ],
    },
  ],
  write,
} satisfies Sample

function write(home: SampleHome, sessions: readonly SampleSession[]): void {
  for (const session of sessions) {
    const { id, end } = session
    const folder = `.copilot/session-state/${id}`
    home.lines(`${folder}/events.jsonl`, [...events(session)], end)
    const workspace = [
      `id: ${id}`,
      `cwd: ${project}`,
      `git_root: ${project}`,
      'branch: main',
      'client_name: github/cli',
      `name: ${session.title}`,
      'user_named: false',
      `created_at: ${iso(Date.parse(session.start))}`,
      `updated_at: ${iso(end)}`,
    ]
    home.text(`${folder}/workspace.yaml`, `${workspace.join('\n')}\n`, end)
  }
}

function* events(session: SampleSession) {
  const { id: sessionId, turns } = session
  let parentId: string | null = null
  let count = 0
  const event = (time: number, type: string, data: object): object => {
    const before = parentId
    parentId = uuid(sessionId, ++count)
    return { type, data, id: parentId, timestamp: iso(time), parentId: before }
  }
  const start = Date.parse(session.start)
  yield event(start, 'session.start', {
    sessionId,
    version: 1,
    producer: 'copilot-agent',
    copilotVersion: '1.0.102',
    startTime: iso(start),
    selectedModel: session.model,
    context: { cwd: project, gitRoot: project, branch: 'main' },
  })
  for (const [n, turn] of turns.entries()) {
    if (turn.user !== undefined) {
      yield event(turn.at, 'user.message', { content: turn.user, messageId: uuid(sessionId, 'user', n) })
      continue
    }
    const turnId = String(n)
    const apiCallId = `chatcmpl_${uuid(sessionId, 'call', n).slice(0, 8)}`
    yield event(turn.at, 'assistant.turn_start', { turnId })
    yield event(turn.at, 'session.usage_record', { usage: usage(session, turn, apiCallId) })
    yield event(turn.at, 'assistant.message', {
      messageId: uuid(sessionId, 'answer', n),
      model: session.model,
      content: turn.text ?? '',
      toolRequests: turn.call ? [{ toolCallId: `call_${turn.call.id}`, ...tool(turn.call), type: 'function' }] : [],
      turnId,
      apiCallId,
    })
    if (turn.call) {
      const { name: toolName, arguments: given } = tool(turn.call)
      const toolCallId = `call_${turn.call.id}`
      yield event(turn.at, 'tool.execution_start', { toolCallId, toolName, arguments: given, turnId })
      yield event(turn.call.doneAt, 'tool.execution_complete', {
        toolCallId,
        model: session.model,
        turnId,
        success: !turn.call.failed,
        result: { content: resultOf(turn.call) },
      })
    }
    yield event(turn.call?.doneAt ?? turn.at, 'assistant.turn_end', { turnId })
  }
}

function usage(session: SampleSession, { usage: { input, cached, output } }: Answer, apiCallId: string) {
  return {
    model: session.model,
    inputTokens: input + cached,
    outputTokens: output,
    cacheReadTokens: cached,
    cacheWriteTokens: 0,
    apiCallId,
  }
}

function tool(call: ToolCall) {
  if (call.kind === 'shell') return { name: 'bash', arguments: { command: call.command, description: 'Run a command' } }
  if (call.kind === 'read') return { name: 'view', arguments: { path: call.path } }
  return { name: 'edit', arguments: { path: call.path, old_str: call.before, new_str: call.after } }
}
