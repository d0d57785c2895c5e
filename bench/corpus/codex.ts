// A session as Codex writes it: each message is written twice, as a response item and as an event.
import { LogFile } from './log-file.ts'
import type { CorpusWorld } from './main.ts'

const models = ['gpt-5-codex', 'gpt-5', 'gpt-5.1-codex', 'gpt-5.1-codex-max']

const KINDS = [
  'input_tokens',
  'cached_input_tokens',
  'output_tokens',
  'reasoning_output_tokens',
  'total_tokens',
] as const
type Tokens = Record<(typeof KINDS)[number], number>

/** Writes a session of at least `wanted` bytes, or a tiny one, and returns its size. */
export function writeCodex(
  world: CorpusWorld,
  path: string,
  wanted: number,
  start: number,
  id: string,
  tiny = false,
): number {
  const { random, text, totals, projects } = world
  const { fraction, integer, pick, size, letters } = random
  const { prose, maybeNeedle } = text
  const total = totals.codex
  const cwd = pick(projects)
  const file = new LogFile(path)
  let time = start

  const timestamp = (): string => new Date((time += integer(150, 7000))).toISOString()
  // The time of a record is drawn after its content.
  const record = (type: string, payload: object): void => file.record({ timestamp: timestamp(), type, payload })
  const item = (type: string, payload: object): void => record('response_item', { type, ...payload })
  const event = (type: string, payload: object): void => record('event_msg', { type, ...payload })
  const message = (role: string, type: string, said: string): void =>
    item('message', { role, content: [{ type, text: said }] })

  total.sessions++
  record('session_meta', meta(world, id, start, cwd, tiny))
  const model = pick(models)
  const spent: Tokens = {
    input_tokens: 0,
    cached_input_tokens: 0,
    output_tokens: 0,
    reasoning_output_tokens: 0,
    total_tokens: 0,
  }
  if (!tiny) {
    message('user', 'input_text', `<environment_context>\n  <cwd>${cwd}</cwd>\n</environment_context>`)
  }
  let context = integer(6000, 12000)
  while (file.bytes < wanted) {
    const prompt = maybeNeedle(prose(tiny ? 80 : Math.min(size(200, 1.1), 20000)))
    record('turn_context', turn(cwd, model))
    message('user', 'input_text', prompt)
    event('user_message', { message: prompt, images: [] })
    const steps = tiny ? 1 : Math.max(1, Math.min(size(7, 0.9), 90))
    for (let step = 0; step < steps && file.bytes < wanted; step++) writeStep(step === steps - 1)
    if (tiny) break
  }
  for (const kind of KINDS) total[kind] += spent[kind]
  file.close(time, totals, total)
  return file.bytes

  /** Reasoning, then a tool call with its result or the answer, and what it took. */
  function writeStep(isLast: boolean): void {
    if (fraction() < 0.6) {
      const summary = [{ type: 'summary_text', text: prose(120) }]
      const encrypted_content = `gAAAAAB${letters(tiny ? 40 : integer(700, 3500))}`
      item('reasoning', { summary, content: null, encrypted_content })
      event('agent_reasoning', { text: prose(120) })
    }
    const usage = spend()
    if (isLast) writeAnswer()
    else writeTool()
    event('token_count', {
      info: { total_token_usage: { ...spent }, last_token_usage: usage, model_context_window: 272000 },
      rate_limits: { primary: { used_percent: 12.5, window_minutes: 300, resets_at: 1760000000 }, secondary: null },
    })
  }

  function spend(): Tokens {
    const usage: Tokens = {
      input_tokens: context,
      cached_input_tokens: Math.floor(context * 0.8),
      output_tokens: integer(30, 900),
      reasoning_output_tokens: integer(0, 300),
      total_tokens: 0,
    }
    usage.total_tokens = usage.input_tokens + usage.output_tokens
    for (const kind of KINDS) spent[kind] += usage[kind]
    context = context > 200000 ? 8000 : context + integer(100, 3000)
    return usage
  }

  function writeTool(): void {
    const call_id = `call_${letters(24)}`
    const command = ['bash', '-lc', prose(integer(20, 200))]
    item('function_call', { name: 'shell', arguments: JSON.stringify({ command, workdir: cwd }), call_id })
    const output = { output: text.toolResult(), metadata: { exit_code: 0, duration_seconds: 0.3 } }
    item('function_call_output', { call_id, output: JSON.stringify(output) })
  }

  function writeAnswer(): void {
    const answer = maybeNeedle(prose(tiny ? 120 : Math.min(size(400, 1), 12000)))
    event('agent_message', { message: answer })
    message('assistant', 'output_text', answer)
  }
}

function meta({ random, text }: CorpusWorld, id: string, start: number, cwd: string, tiny: boolean): object {
  return {
    id,
    timestamp: new Date(start).toISOString(),
    cwd,
    originator: 'codex_cli_rs',
    cli_version: `0.5${random.integer(0, 9)}.0`,
    instructions: tiny ? null : text.prose(1500),
    source: 'cli',
    model_provider: 'openai',
    git: { commit_hash: random.hex(40), branch: 'main', repository_url: 'git@example.invalid:x/y.git' },
  }
}

function turn(cwd: string, model: string): object {
  return {
    cwd,
    approval_policy: 'on-request',
    sandbox_policy: {
      mode: 'workspace-write',
      network_access: false,
      exclude_tmpdir_env_var: false,
      exclude_slash_tmp: false,
    },
    model,
    effort: 'medium',
    summary: 'auto',
  }
}
