// ~/.local/share/amazon-q/data.sqlite3: one conversation per folder, in the table `conversations`.
import { iso, project, resultOf, uuid } from '../../../../scripts/samples/fields.ts'
import { insert, type SampleHome } from '../../../../scripts/samples/sample-home.ts'
import type { Answer, Sample, SampleSession, ToolCall } from '../../../../scripts/samples/story.ts'

export default {
  sessions: [
    {
      title: 'Move the product images to a bucket',
      start: '2026-10-25T14:20:00Z',
      model: 'claude-sonnet-4',
      steps: [
        { user: 'Move the product images from disk to an object bucket, with the old URLs still working.' },
        { shell: 'du -sh public/images && ls public/images | wc -l', output: '3.1G\tpublic/images\n12480' },
        {
          say: '12,480 files, 3.1 GB. I copy them with their names kept, and let `/images/*` answer with a permanent redirect to the bucket, so that old links and search engines keep working.',
        },
        {
          edit: 'src/routes/images.ts',
          before: "app.use('/images', express.static('public/images'))",
          after: "app.get('/images/:name', (req, res) => res.redirect(301, bucketUrl(req.params.name)))",
        },
        { shell: 'npm test -- images', output: ' ✓ src/routes/images.test.ts (3 tests)' },
        {
          say: 'Done: the route redirects, and `scripts/copy-images.sh` copies with checksums. Run the script first, then deploy.',
        },
      ],
    },
  ],
  write,
} satisfies Sample

function write(home: SampleHome, sessions: readonly SampleSession[]): void {
  const ends = sessions.map((session) => session.end)
  home.database('.local/share/amazon-q/data.sqlite3', Math.max(...ends), (database) => {
    database.exec('CREATE TABLE conversations (key TEXT PRIMARY KEY, value TEXT)')
    for (const session of sessions) insert(database, 'conversations', { key: project, value: conversation(session) })
  })
}

function conversation(session: SampleSession) {
  const { turns } = session
  const history = []
  let content: unknown
  let asked = 0
  for (const [n, turn] of turns.entries()) {
    if (turn.user !== undefined) {
      content = { Prompt: { prompt: turn.user } }
      asked = turn.at
      continue
    }
    const user = {
      additional_context: '',
      env_context: { env_state: environment },
      content,
      timestamp: iso(asked).replace('Z', '+00:00'),
      images: null,
    }
    history.push({ user, assistant: answer(session, turn, n), request_metadata: metadata(session, turn, n) })
    if (turn.call) {
      content = { ToolUseResults: { tool_use_results: [toolResult(turn.call)] } }
      asked = turn.call.doneAt
    }
  }
  return {
    conversation_id: session.id,
    next_message: null,
    history,
    valid_history_range: [0, history.length],
    transcript: turns.flatMap((turn) => (turn.user !== undefined ? [`> ${turn.user}`] : turn.text ? [turn.text] : [])),
    tools: {},
    context_manager: null,
    context_message_length: 0,
    latest_summary: null,
    model: session.model,
  }
}

const environment = { operating_system: 'linux', current_working_directory: project, environment_variables: [] }

function answer(session: SampleSession, turn: Answer, n: number) {
  const common = { message_id: uuid(session.title, n), content: turn.text ?? '' }
  return turn.call ? { ToolUse: { ...common, tool_uses: [toolUse(turn.call)] } } : { Response: common }
}

function toolUse(call: ToolCall) {
  const [name, args] =
    call.kind === 'shell'
      ? ['execute_bash', { command: call.command }]
      : call.kind === 'read'
        ? ['fs_read', { operations: [{ mode: 'Line', path: call.path }] }]
        : ['fs_write', { command: 'str_replace', path: call.path, old_str: call.before, new_str: call.after }]
  return { id: `tooluse_${call.id}`, name, orig_name: name, args, orig_args: args }
}

function toolResult(call: ToolCall) {
  return {
    tool_use_id: `tooluse_${call.id}`,
    content: [{ Text: resultOf(call) }],
    status: call.failed ? 'Error' : 'Success',
  }
}

function metadata(session: SampleSession, turn: Answer, n: number) {
  return {
    request_id: uuid(session.title, 'request', n),
    message_id: uuid(session.title, n),
    request_start_timestamp_ms: turn.at,
    stream_end_timestamp_ms: turn.at + 2400,
    time_to_first_chunk: { secs: 1, nanos: 0 },
    time_between_chunks: [],
    user_prompt_length: 120,
    response_size: (turn.text ?? '').length,
    chat_conversation_type: turn.call ? 'ToolUse' : 'NotToolUse',
    tool_use_ids_and_names: [],
    model_id: session.model,
    message_meta_tags: [],
  }
}
