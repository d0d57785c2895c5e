// ~/.augment/sessions/<id>.json: one item per model request; a tool's result is in the next one.
import { iso, project, resultOf, uuid } from '../../../../scripts/samples/fields.ts'
import type { SampleHome } from '../../../../scripts/samples/sample-home.ts'
import type { Answer, Sample, SampleSession, ToolCall, Turn } from '../../../../scripts/samples/story.ts'

export default {
  sessions: [
    {
      title: 'How does a refund travel through the code?',
      start: '2026-11-13T11:02:45Z',
      model: 'claude-sonnet-4-5',
      steps: [
        { user: 'I am new here. How does a refund travel through the code, from the button to the bank?' },
        { shell: 'grep -rn "refund" src --include=*.ts | wc -l', output: '37' },
        {
          read: 'src/refunds.ts',
          output:
            'export async function pay(orderId: number, amount: Cents) {\n  await ledger.book(orderId, -amount)\n  await provider.refund(orderId, amount)\n  await mail.refundNote(orderId)\n}\n',
        },
        {
          say: 'In four stops:\n\n1. `routes/staff/refund.ts`: the button. Checks the role; over 100 € it wants a second person.\n2. `webhooks/payment.ts`: the provider answers with `refund.requested`.\n3. `refunds.ts`: books it in the ledger, asks the provider to pay, in this order.\n4. `mail/refund-note.ts`: tells the customer.\n\nThe ledger comes first, so that a crash in between leaves a booked refund to be paid and never a paid one without a booking.',
        },
      ],
    },
  ],
  write,
} satisfies Sample

function write(home: SampleHome, sessions: readonly SampleSession[]): void {
  for (const session of sessions) {
    const { id, turns, end } = session
    home.json(
      `.augment/sessions/${id}.json`,
      {
        sessionId: id,
        created: iso(Date.parse(session.start)),
        modified: iso(end),
        chatHistory: history(turns, id),
        agentState: { userGuidelines: '', workspaceGuidelines: '', modelId: session.model, userEmail: '' },
        rootTaskUuid: uuid(id, 'task'),
        terminalId: '/dev/pts/1',
        customTitle: session.title,
      },
      end,
    )
  }
}

function history(turns: readonly Turn[], id: string) {
  const items: object[] = []
  let request: unknown[] = []
  let asked = ''
  for (const turn of turns) {
    if (turn.user !== undefined) {
      asked = turn.user
      request = [{ id: 1, type: 0, text_node: { content: turn.user } }, workspace]
      continue
    }
    items.push(item(turn, asked, request, items.length + 1, id))
    asked = ''
    request = turn.call ? [toolResult(turn.call)] : []
  }
  return items
}

const workspace = {
  id: 2,
  type: 4,
  ide_state_node: {
    workspace_folders: [{ repository_root: project, folder_root: project }],
    workspace_folders_unchanged: false,
    current_terminal: { terminal_id: 0, current_working_directory: project },
  },
}

function item(turn: Answer, asked: string, request_nodes: unknown[], sequenceId: number, id: string) {
  const response_nodes = [
    ...(turn.text ? [{ id: 1, type: 0, content: turn.text, timestamp_ms: turn.at }] : []),
    ...(turn.call
      ? [{ id: 2, type: 5, content: '', tool_use: toolUse(turn.at, turn.call), timestamp_ms: turn.at }]
      : []),
  ]
  return {
    exchange: {
      request_message: asked,
      response_text: turn.text ?? '',
      request_id: uuid(id, sequenceId),
      request_nodes,
      response_nodes,
    },
    completed: true,
    sequenceId,
    finishedAt: iso(turn.call?.doneAt ?? turn.at),
    changedFiles: [],
    changedFilesSkipped: [],
    changedFilesSkippedCount: 0,
    source: 'local',
  }
}

function toolUse(at: number, call: ToolCall) {
  const [tool_name, input] =
    call.kind === 'shell'
      ? ['launch-process', { command: call.command, wait: true, cwd: project }]
      : call.kind === 'read'
        ? ['view', { path: call.path, type: 'file' }]
        : ['str-replace-editor', { command: 'str_replace', path: call.path, old_str: call.before, new_str: call.after }]
  return {
    tool_use_id: `toolu_${call.id}`,
    tool_name,
    input_json: JSON.stringify(input),
    started_at_ms: at,
    completed_at_ms: call.doneAt,
  }
}

function toolResult(call: ToolCall) {
  const tool_result_node = {
    tool_use_id: `toolu_${call.id}`,
    content: resultOf(call),
    is_error: call.failed,
    duration_ms: 900,
    start_time_ms: call.doneAt - 900,
  }
  return { id: 1, type: 1, tool_result_node }
}
