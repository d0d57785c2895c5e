// ~/.pi/agent/sessions/--<project>--/<time>_<id>.jsonl, as 0.87.1 writes them.
import { iso, project, resultOf, token } from '../../../../scripts/samples/fields.ts'
import type { SampleHome } from '../../../../scripts/samples/sample-home.ts'
import type { Answer, Sample, SampleSession, ToolCall } from '../../../../scripts/samples/story.ts'
import { projectFolder } from '../paths.ts'

export default {
  sessions: [
    {
      title: 'Prices in Swiss francs',
      start: '2026-10-14T09:20:00Z',
      model: 'claude-sonnet-4-5',
      steps: [
        { user: 'Show prices in Swiss francs for customers in Switzerland. The ledger stays in euros.' },
        { shell: 'grep -rn "formatPrice" src --include=*.ts | wc -l', output: '23' },
        {
          read: 'src/price.ts',
          output: 'export const formatPrice = (cents: Cents) => (cents / 100).toFixed(2) + " €"\n',
        },
        {
          say: 'All 23 places go through `formatPrice`, so one change is enough. The rate of the day comes from the ledger.',
        },
        {
          edit: 'src/price.ts',
          before: 'export const formatPrice = (cents: Cents) =>',
          after: 'export const formatPrice = (cents: Cents, currency: Currency = EUR) =>',
        },
        { shell: 'npm test -- price', output: ' ✓ src/price.test.ts (9 tests) 21ms' },
        {
          say: 'Swiss customers now see francs, rounded to five rappen. Orders and refunds are still booked in euros.',
        },
      ],
    },
  ],
  write,
} satisfies Sample

function write(home: SampleHome, sessions: readonly SampleSession[]): void {
  for (const session of sessions) {
    const time = iso(Date.parse(session.start)).replace(/[:.]/g, '-')
    home.lines(
      `.pi/agent/sessions/${projectFolder(project)}/${time}_${session.id}.jsonl`,
      [...records(session)],
      session.end,
    )
  }
}

function* records(session: SampleSession): Generator<object> {
  let parentId: string | null = null
  let count = 0
  const record = (time: number, type: string, rest: object): object => {
    const before = parentId
    parentId = token(8, session.id, ++count)
    return { type, id: parentId, parentId: before, timestamp: iso(time), ...rest }
  }
  const start = Date.parse(session.start)
  yield { type: 'session', version: 3, id: session.id, timestamp: iso(start), cwd: project }
  yield record(start, 'model_change', { provider: 'anthropic', modelId: session.model })
  yield record(start, 'session_info', { name: session.title })
  for (const turn of session.turns) {
    const content = turn.user === undefined ? blocks(turn) : [{ type: 'text', text: turn.user }]
    if (turn.user !== undefined) {
      yield record(turn.at, 'message', { message: { role: 'user', content, timestamp: turn.at } })
      continue
    }
    yield record(turn.at, 'message', { message: { role: 'assistant', content, ...answer(session, turn) } })
    if (turn.call) yield record(turn.call.doneAt, 'message', { message: toolResult(turn.call) })
  }
}

function blocks({ thought, text, call }: Answer): object[] {
  return [
    ...(thought ? [{ type: 'thinking', thinking: thought }] : []),
    ...(text ? [{ type: 'text', text }] : []),
    ...(call ? [{ type: 'toolCall', id: `call_${call.id}`, ...tool(call) }] : []),
  ]
}

function answer(session: SampleSession, { at, usage, call }: Answer): object {
  const { input, output, cached, written } = usage
  return {
    api: 'anthropic-messages',
    provider: 'anthropic',
    model: session.model,
    usage: {
      input,
      output,
      cacheRead: cached,
      cacheWrite: written,
      totalTokens: input + output + cached + written,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: call ? 'toolUse' : 'stop',
    timestamp: at,
  }
}

function tool(call: ToolCall): { name: string; arguments: object } {
  if (call.kind === 'shell') return { name: 'bash', arguments: { command: call.command } }
  if (call.kind === 'read') return { name: 'read', arguments: { path: call.path } }
  const edits = [{ oldText: call.before, newText: call.after }]
  return { name: 'edit', arguments: { path: call.path, edits } }
}

function toolResult(call: ToolCall): object {
  const { name: toolName } = tool(call)
  const content = [{ type: 'text', text: resultOf(call) }]
  return {
    role: 'toolResult',
    toolCallId: `call_${call.id}`,
    toolName,
    content,
    isError: call.failed,
    timestamp: call.doneAt,
  }
}
