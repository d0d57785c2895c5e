// ~/.gemini/tmp/<slug>/chats/session-<minute>-<id>.jsonl, as 0.61.0 writes them.
import { createHash } from 'node:crypto'
import { iso, project, resultOf, subjectOf, uuid } from '../../../../scripts/samples/fields.ts'
import type { SampleHome } from '../../../../scripts/samples/sample-home.ts'
import type { Answer, Sample, SampleSession, ToolCall } from '../../../../scripts/samples/story.ts'

export default {
  sessions: [
    {
      title: 'Limit login attempts',
      start: '2026-11-05T09:55:18Z',
      model: 'gemini-2.5-pro',
      steps: [
        {
          user: 'Add a limit to the login route: 10 attempts in 15 minutes for each address and account. Use the Redis we have.',
        },
        {
          think:
            'The decision of October keeps sessions in Redis, so the connection is there. A sliding window by sorted set is enough.',
        },
        { read: 'src/auth/redis.ts', output: 'export const redis = createClient({ url: process.env.REDIS_URL })\n' },
        {
          edit: 'src/auth/login.ts',
          before: 'export async function login(req, res) {',
          after:
            "export async function login(req, res) {\n  if (!(await allow('login', [req.ip, req.body.email], { times: 10, minutes: 15 }))) return res.status(429).end()",
        },
        {
          shell: 'npm test -- auth',
          output: ' ✓ src/auth/limit.test.ts (5 tests) 48ms\n ✓ src/auth/login.test.ts (9 tests) 120ms',
        },
        {
          say: 'Login is limited by address and by account, with a sliding window in Redis beside the sessions. The eleventh attempt gets 429 and a Retry-After.',
        },
      ],
    },
  ],
  write,
} satisfies Sample

function write(home: SampleHome, sessions: readonly SampleSession[]): void {
  let latest = 0
  for (const session of sessions) {
    const { id, end } = session
    const minute = iso(Date.parse(session.start)).slice(0, 16).replace(':', '-')
    latest = Math.max(latest, end)
    home.lines(`.gemini/tmp/shop/chats/session-${minute}-${id.slice(0, 8)}.jsonl`, [...lines(session)], end)
  }
  home.json('.gemini/projects.json', { projects: { [project]: 'shop' } }, latest)
  home.text('.gemini/tmp/shop/.project_root', project, latest)
}

function* lines(session: SampleSession) {
  const { id: sessionId, turns } = session
  const start = iso(Date.parse(session.start))
  const projectHash = createHash('sha256').update(project).digest('hex')
  yield { sessionId, projectHash, startTime: start, lastUpdated: start, kind: 'main' }
  const context = [{ text: '<session_context>\nThis is the shop.\n</session_context>' }]
  yield {
    $set: {
      messages: [{ id: uuid(sessionId, 'context'), timestamp: start, type: 'user', content: context }],
      lastUpdated: start,
    },
  }
  for (const [n, turn] of turns.entries()) {
    const common = { id: uuid(sessionId, n), timestamp: iso(turn.at) }
    if (turn.user !== undefined) yield { ...common, type: 'user', content: [{ text: turn.user }] }
    else {
      const thoughts = turn.thought
        ? [{ subject: 'Looking for the way', description: turn.thought, timestamp: iso(turn.at) }]
        : []
      const calls = turn.call ? { toolCalls: [toolCall(turn.call)] } : {}
      yield {
        ...common,
        type: 'gemini',
        content: turn.text ?? '',
        thoughts,
        tokens: tokens(turn),
        model: session.model,
        ...calls,
      }
    }
    yield { $set: { lastUpdated: iso(turn.call?.doneAt ?? turn.at) } }
  }
}

function tokens({ usage: { input, cached, output }, thought = '' }: Answer) {
  const thoughts = Math.round(thought.length / 4)
  return { input: input + cached, output, cached, thoughts, tool: 0, total: input + cached + output + thoughts }
}

function toolCall(call: ToolCall) {
  const [name, args] =
    call.kind === 'shell'
      ? ['run_shell_command', { command: call.command }]
      : call.kind === 'read'
        ? ['read_file', { file_path: call.path }]
        : ['replace', { file_path: call.path, old_string: call.before, new_string: call.after }]
  const id = `${name}_${call.id}`
  const response = { output: resultOf(call) }
  return {
    id,
    name,
    args,
    result: [{ functionResponse: { id, name, response } }],
    status: call.failed ? 'error' : 'success',
    timestamp: iso(call.doneAt),
    resultDisplay: resultOf(call),
    displayName: name,
    description: subjectOf(call),
    renderOutputAsMarkdown: false,
  }
}
