// ~/.kiro/sessions/cli/<id>.json and .jsonl: engine v2.
import { iso, project, resultOf, uuid } from '../../../../scripts/samples/fields.ts'
import type { SampleHome } from '../../../../scripts/samples/sample-home.ts'
import type { Sample, SampleSession, ToolCall, Turn } from '../../../../scripts/samples/story.ts'

export default {
  sessions: [
    {
      title: 'Spec for gift cards',
      start: '2026-11-09T16:35:00Z',
      model: 'claude-sonnet-4.5',
      steps: [
        { user: 'Draft a short spec for gift cards. What happens with a refund of an order that was paid with one?' },
        { read: 'docs/ledger.md', output: 'Every amount is booked twice. A balance is the sum of its bookings.\n' },
        {
          say: '**Gift cards, draft**\n\n- A card is an account in the ledger; its balance is the sum of its bookings.\n- A card is bought like a product and is active once paid.\n- A refund goes back the way the money came: first to the card up to what the card paid, the rest to the bank.\n- Cards do not expire (the law here asks for at least three years).\n\nOpen: may a refund bring a card above the price it was sold for? I would say no.',
        },
        { user: 'No is right. Save it.' },
        {
          edit: 'docs/specs/gift-cards.md',
          before: '',
          after:
            '# Gift cards\n\nA card is an account in the ledger. A refund never brings a card above the price it was sold for.\n',
        },
        { say: 'Saved as `docs/specs/gift-cards.md`.' },
      ],
    },
  ],
  write,
} satisfies Sample

function write(home: SampleHome, sessions: readonly SampleSession[]): void {
  for (const session of sessions) {
    const { id, turns, end } = session
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

const micros = (time: number) => iso(time).replace('Z', '000Z')

function* lines(turns: readonly Turn[], id: string) {
  const line = (kind: string, n: number, content: object[], more = {}): object => ({
    version: 'v1',
    kind,
    data: { message_id: uuid(id, kind, n), content, ...more },
  })
  for (const [n, turn] of turns.entries()) {
    if (turn.user !== undefined) {
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

function tool(call: ToolCall) {
  if (call.kind === 'shell') return { name: 'shell', input: { command: call.command } }
  if (call.kind === 'read') return { name: 'read', input: { operations: [{ mode: 'Line', path: call.path }] } }
  return { name: 'write', input: { command: 'create', path: call.path, content: call.after } }
}

function usage(turns: readonly Turn[]) {
  return turns.flatMap((turn) =>
    turn.user === undefined && !turn.call
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
