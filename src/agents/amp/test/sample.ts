// ~/.local/share/amp/threads/T-<id>.json, as the builds of early 2026 keep them.
import { iso, project, resultOf } from '../../../../scripts/samples/fields.ts'
import type { SampleHome } from '../../../../scripts/samples/sample-home.ts'
import type { Sample, SampleSession, ToolCall, Turn } from '../../../../scripts/samples/story.ts'

export default {
  sessions: [
    {
      title: 'Cart total is off by one cent',
      start: '2026-10-28T17:02:33Z',
      model: 'claude-sonnet-4-5',
      steps: [
        { user: 'A customer sees 59.99 in the cart and 60.00 at checkout. Why?' },
        {
          read: 'src/cart.ts',
          output:
            'export const total = (lines) => lines.reduce((sum, l) => sum + l.price * l.quantity * (1 - l.discount), 0)\n',
        },
        { say: 'The cart rounds each line and checkout rounds the sum. 3 × 19.995 shows it.' },
        {
          edit: 'src/cart.ts',
          before: 'sum + l.price * l.quantity * (1 - l.discount)',
          after: 'sum + roundCents(l.price * l.quantity * (1 - l.discount))',
        },
        { shell: 'npm test -- cart', output: ' ✓ src/cart.test.ts (18 tests) 30ms' },
        {
          say: 'Both round each line to whole cents now, half away from zero, as the invoice does. The cart is computed in cents, so the refund of a single line also adds up.',
        },
      ],
    },
  ],
  write,
} satisfies Sample

function write(home: SampleHome, sessions: readonly SampleSession[]): void {
  for (const session of sessions) {
    const id = `T-${session.id}`
    const messages = session.turns
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
      session.end,
    )
  }
}

function messagesOf(session: SampleSession, turn: Turn): object[] {
  if (turn.user !== undefined)
    return [{ role: 'user', content: [{ type: 'text', text: turn.user }], meta: { sentAt: turn.at } }]
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

function tool(call: ToolCall) {
  if (call.kind === 'shell') return { name: 'Bash', input: { cmd: call.command, cwd: project } }
  if (call.kind === 'read') return { name: 'Read', input: { path: call.path } }
  return { name: 'edit_file', input: { path: call.path, old_str: call.before, new_str: call.after } }
}
