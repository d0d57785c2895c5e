// ~/.codex/sessions/Y/M/D/rollout-<time>-<id>.jsonl, legacy mode, and the names in session_index.jsonl.
import { iso, project, resultOf } from '../../../../scripts/samples/fields.ts'
import type { SampleHome } from '../../../../scripts/samples/sample-home.ts'
import type { Answer, Sample, SampleSession, ToolCall } from '../../../../scripts/samples/story.ts'

export default {
  sessions: [
    {
      title: 'Fix the checkout test that fails after midnight',
      start: '2026-11-12T22:31:40Z',
      model: 'gpt-5-codex',
      steps: [
        { user: 'checkout.test.ts fails in CI, but only at night. Find out why and fix it.' },
        {
          shell: 'npx vitest run src/checkout.test.ts',
          output:
            ' FAIL  src/checkout.test.ts > delivery date is tomorrow\n AssertionError: expected 2026-11-12 to be 2026-11-13\n\n Tests  1 failed | 11 passed (12)',
          code: 1,
        },
        {
          think:
            'It is 22:31 UTC, which is 23:31 in Berlin. The test makes "tomorrow" in local time and the code in UTC.',
        },
        {
          read: 'src/delivery.ts',
          output:
            'export function deliveryDate(now = new Date()) {\n  const day = new Date(now)\n  day.setDate(day.getDate() + 1)\n  return day.toISOString().slice(0, 10)\n}\n',
        },
        {
          edit: 'src/delivery.ts',
          before: '  day.setDate(day.getDate() + 1)',
          after: '  day.setUTCDate(day.getUTCDate() + 1)',
        },
        {
          shell: 'TZ=Europe/Berlin npx vitest run src/checkout.test.ts',
          output: ' ✓ src/checkout.test.ts (12 tests) 96ms\n\n Tests  12 passed (12)',
        },
        {
          say: 'The date was moved in local time and written in UTC, so between 23:00 and midnight in Berlin a day was missing. It is counted in UTC throughout now; the test passes in three time zones.',
        },
      ],
    },
    {
      title: 'The orders page takes six seconds',
      start: '2026-11-03T10:05:22Z',
      model: 'gpt-5-codex',
      steps: [
        { user: 'The orders page takes six seconds for large customers. Find the slow query.' },
        {
          shell:
            'psql shop -c "EXPLAIN ANALYZE SELECT * FROM orders WHERE customer_id = 88 ORDER BY created_at DESC LIMIT 20"',
          output:
            ' Limit (actual time=5871.202..5871.209 rows=20)\n   -> Sort (actual time=5871.200..5871.204)\n         -> Seq Scan on orders (actual time=0.021..5604.118 rows=41207)\n Execution Time: 5871.3 ms',
        },
        {
          say: 'A sequential scan over all orders. There is an index on `customer_id` in the schema file, but not in the database: migration 0031 was never run here.',
        },
        {
          shell:
            'psql shop -c "CREATE INDEX CONCURRENTLY orders_customer_created ON orders (customer_id, created_at DESC)"',
          output: 'CREATE INDEX',
        },
        {
          shell:
            'psql shop -c "EXPLAIN ANALYZE SELECT * FROM orders WHERE customer_id = 88 ORDER BY created_at DESC LIMIT 20"',
          output:
            ' Limit (actual time=0.031..0.055 rows=20)\n   -> Index Scan using orders_customer_created on orders\n Execution Time: 0.08 ms',
        },
        {
          say: 'From 5.9 s to 0.1 ms. The index is made without locking the table; I added it as migration 0034 so that every database gets it.',
        },
      ],
    },
  ],
  write,
} satisfies Sample

function write(home: SampleHome, sessions: readonly SampleSession[]): void {
  const names = []
  for (const session of sessions) {
    const { id, end } = session
    const start = iso(Date.parse(session.start))
    const file = `rollout-${start.slice(0, 19).replaceAll(':', '-')}-${id}.jsonl`
    home.lines(`.codex/sessions/${start.slice(0, 10).replaceAll('-', '/')}/${file}`, [...records(session)], end)
    names.push({ id, thread_name: session.title, updated_at: iso(end) })
  }
  home.lines(
    '.codex/session_index.jsonl',
    names.reverse(),
    Math.max(...names.map((name) => Date.parse(name.updated_at))),
  )
}

function* records(session: SampleSession) {
  const line = (time: number, type: string, payload: object): object => ({ timestamp: iso(time), type, payload })
  const item = (time: number, payload: object): object => line(time, 'response_item', payload)
  const start = Date.parse(session.start)
  const git = { commit_hash: '4be1d0c9f2a7', branch: 'main' }
  const meta = {
    id: session.id,
    timestamp: iso(start),
    cwd: project,
    originator: 'codex_cli_rs',
    cli_version: '0.166.0',
    source: 'cli',
    model_provider: 'openai',
    git,
  }
  yield line(start, 'session_meta', meta)
  let total: TokenUsage = {
    input_tokens: 0,
    cached_input_tokens: 0,
    output_tokens: 0,
    reasoning_output_tokens: 0,
    total_tokens: 0,
  }
  for (const turn of session.turns) {
    if (turn.user !== undefined) {
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
    total = sum(total, last)
    yield line(turn.call?.doneAt ?? turn.at, 'event_msg', {
      type: 'token_count',
      info: { total_token_usage: total, last_token_usage: last, model_context_window: 258400 },
      rate_limits: null,
    })
  }
}

interface TokenUsage {
  input_tokens: number
  cached_input_tokens: number
  output_tokens: number
  reasoning_output_tokens: number
  total_tokens: number
}

function sum(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    cached_input_tokens: a.cached_input_tokens + b.cached_input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    reasoning_output_tokens: a.reasoning_output_tokens + b.reasoning_output_tokens,
    total_tokens: a.total_tokens + b.total_tokens,
  }
}

/** Codex counts the cached part as input too. */
function usage({ usage: { input, cached, output }, thought }: Answer): TokenUsage {
  const reasoning = thought ? Math.round(thought.length / 4) : 0
  return {
    input_tokens: input + cached,
    cached_input_tokens: cached,
    output_tokens: output,
    reasoning_output_tokens: reasoning,
    total_tokens: input + cached + output,
  }
}

function* toolCall(call: ToolCall, at: number, item: (time: number, payload: object) => object): Generator<object> {
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
  const output = `Process exited with code ${call.kind === 'shell' ? call.code : 0}\nOutput:\n${resultOf(call)}\n`
  yield item(call.doneAt, { type: 'function_call_output', call_id, output })
}
