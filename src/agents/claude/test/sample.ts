// ~/.claude/projects/<folder>/<id>.jsonl: one record per block, as 2.1.325 writes them.
import { iso, project, resultOf, uuid } from '../../../../scripts/samples/fields.ts'
import type { SampleHome } from '../../../../scripts/samples/sample-home.ts'
import type { Answer, Sample, SampleSession, ToolCall } from '../../../../scripts/samples/story.ts'

export default {
  sessions: [
    {
      title: 'Customers get their refund twice',
      start: '2026-11-14T09:12:04Z',
      model: 'claude-opus-4-8',
      steps: [
        {
          user: 'Support says that some customers get their refund twice. Orders 1042 and 1057. Can you find out why?',
        },
        { think: 'Twice, but only for some. That smells of a retried webhook. I look at how a refund is made first.' },
        { say: 'I start where refunds are made.' },
        {
          shell: 'grep -rn "refund" src --include=*.ts -l',
          output: 'src/refunds.ts\nsrc/webhooks/payment.ts\nsrc/mail/refund-note.ts',
        },
        {
          read: 'src/webhooks/payment.ts',
          output:
            "export async function onPayment(event: PaymentEvent) {\n  if (event.type === 'refund.requested') {\n    await refunds.pay(event.orderId, event.amount)\n  }\n}\n",
        },
        {
          say: 'The payment provider sends a webhook again when our answer takes longer than 10 seconds. `onPayment` pays each time: nothing tells the second delivery from the first.',
        },
        { user: 'Makes sense. Fix it, and prove it with a test.' },
        {
          edit: 'src/webhooks/payment.ts',
          before: '    await refunds.pay(event.orderId, event.amount)',
          after: '    await refunds.payOnce(event.id, event.orderId, event.amount)',
        },
        {
          edit: 'src/refunds.ts',
          before: 'export async function pay(',
          after:
            "/** The event's id is the idempotency key: a second delivery of it pays nothing. */\nexport async function payOnce(eventId: string, orderId: number, amount: Cents) {\n  const first = await db.insertIgnore('refund_events', { id: eventId, order_id: orderId })\n  return first ? pay(orderId, amount) : alreadyPaid(eventId)\n}\n\nexport async function pay(",
        },
        {
          shell: 'npm test -- refunds',
          output:
            ' ✓ src/refunds.test.ts (4 tests) 212ms\n   ✓ pays a refund\n   ✓ pays once when the webhook is delivered twice\n   ✓ pays two refunds of one order\n   ✓ refuses more than was paid\n\n Tests  4 passed (4)',
        },
        {
          say: 'Fixed. A refund now has the id of its webhook event as idempotency key, kept in `refund_events`. The new test delivers the same event twice and sees one payment. Orders 1042 and 1057 were both delivered twice on 9 November, 11 seconds apart.',
        },
        { user: 'Does staging use the same provider account? Please check.' },
        {
          shell: 'cat .env.staging',
          output:
            'DATABASE_URL=postgres://db.internal/shop\nPAYMENTS_API_KEY=pay_4f9c21e7ab3058d6f1c4e2b79a60d813\nPAYMENTS_ACCOUNT=acct_staging\nALERTS_TO=ann@shop.example\n',
        },
        { say: 'No: staging has an account of its own, `acct_staging`. The live account is not touched from there.' },
      ],
    },
    {
      title: 'Where to keep login sessions',
      start: '2026-10-21T13:40:11Z',
      model: 'claude-opus-4-8',
      steps: [
        {
          user: 'We must decide on auth before the mobile app starts: JWT, or sessions in Redis? Look at what we have and recommend one.',
        },
        {
          shell: 'grep -rn "cookie\\|jwt" src/auth | head',
          output:
            "src/auth/login.ts:14:  res.cookie('sid', id, { httpOnly: true })\nsrc/auth/guard.ts:8:  const sid = req.cookies.sid",
        },
        {
          read: 'src/auth/guard.ts',
          output:
            'export async function guard(req, res, next) {\n  const sid = req.cookies.sid\n  req.user = await memoryStore.get(sid)\n  next()\n}\n',
        },
        {
          say: 'My recommendation: **sessions in Redis, not JWT**.\n\n1. "Log out everywhere" must work the same second. With JWT it needs a deny list, which is a session store again.\n2. Roles change (staff, refunds over 100 €). A token would carry the old role until it expires.\n3. We run Redis for the queue already.\n\nThe price: one look-up per request, about 0.4 ms here.',
        },
        { user: 'Agreed. Write it down as a decision record.' },
        {
          edit: 'docs/decisions/0007-auth.md',
          before: '',
          after:
            '# 7. Sessions in Redis, not JWT\n\nDecided 2026-10-21. Login sessions are kept in Redis under `sid:<id>`, 30 days, renewed on use.\nWe do not use JWT: revoking must be immediate, and roles change while people are logged in.\n',
        },
        {
          say: 'Written: `docs/decisions/0007-auth.md`. It names the one case that would change our mind: a second service that must check logins without reaching Redis.',
        },
      ],
    },
  ],
  write,
} satisfies Sample

function write(home: SampleHome, sessions: readonly SampleSession[]): void {
  const folder = project.replace(/[^A-Za-z0-9]/g, '-')
  for (const session of sessions) {
    home.lines(`.claude/projects/${folder}/${session.id}.jsonl`, [...records(session)], session.end)
  }
}

function* records(session: SampleSession) {
  const { id: sessionId, turns } = session
  const envelope = {
    userType: 'external',
    entrypoint: 'cli',
    cwd: project,
    sessionId,
    version: '2.1.325',
    gitBranch: 'main',
  }
  let parentUuid: string | null = null
  let count = 0
  const record = (time: number, rest: object): object => {
    const before = { parentUuid, isSidechain: false }
    parentUuid = uuid(sessionId, ++count)
    return { ...before, ...rest, uuid: parentUuid, timestamp: iso(time), ...envelope }
  }
  for (const [n, turn] of turns.entries()) {
    if (turn.user !== undefined) {
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
  yield {
    type: 'last-prompt',
    lastPrompt: turns.findLast((turn) => turn.user !== undefined)?.user,
    leafUuid: parentUuid,
    sessionId,
  }
}

function blocks({ thought, text, call }: Answer): object[] {
  return [
    ...(thought ? [{ type: 'thinking', thinking: thought, signature: '' }] : []),
    ...(text ? [{ type: 'text', text }] : []),
    ...(call ? [{ type: 'tool_use', id: `toolu_${call.id}`, ...tool(call) }] : []),
  ]
}

/** Each block repeats the usage of the whole message. */
function message(session: SampleSession, { usage, call }: Answer, n: number, block: object) {
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

function tool(call: ToolCall) {
  if (call.kind === 'shell') return { name: 'Bash', input: { command: call.command } }
  if (call.kind === 'read') return { name: 'Read', input: { file_path: call.path } }
  if (call.before === '') return { name: 'Write', input: { file_path: call.path, content: call.after } }
  return { name: 'Edit', input: { file_path: call.path, old_string: call.before, new_string: call.after } }
}

function toolResult(call: ToolCall) {
  const result = {
    tool_use_id: `toolu_${call.id}`,
    type: 'tool_result',
    content: resultOf(call),
    is_error: call.failed,
  }
  return { type: 'user', message: { role: 'user', content: [result] } }
}
