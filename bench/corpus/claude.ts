// A session as Claude Code writes it: one record for each content block, blocks of a message repeating id and usage.
import { basename } from 'node:path'
import { LogFile } from './log-file.ts'
import type { CorpusWorld } from './main.ts'

const models = [
  'claude-sonnet-4-20250514',
  'claude-opus-4-20250514',
  'claude-sonnet-4-5-20250929',
  'claude-opus-4-1-20250805',
  'claude-haiku-4-5-20251001',
]
const tools = ['Bash', 'Read', 'Edit', 'Grep', 'Glob', 'Write', 'TodoWrite', 'WebFetch', 'Task']

type WriteBlock = (content: object, reason: string | null) => void

/** Writes a session of at least `wanted` bytes, or a tiny one, and returns its size. */
export function writeClaude(world: CorpusWorld, path: string, wanted: number, start: number, tiny = false): number {
  const { random, text, totals, projects } = world
  const { fraction, integer, pick, size, uuid, letters } = random
  const { word, prose, maybeNeedle } = text
  const total = totals.claude
  const cwd = pick(projects)
  const file = new LogFile(path)
  const version = `2.0.${integer(0, 60)}`
  const gitBranch = pick(['main', 'dev', `feat/${word()}`])
  let time = start
  let parent: string | null = null

  const timestamp = (): string => new Date((time += integer(200, 9000))).toISOString()
  const common = {
    isSidechain: false,
    userType: 'external',
    cwd,
    sessionId: basename(path, '.jsonl'),
    version,
    gitBranch,
  }
  const record = (type: string, extra: object): void => {
    const id = uuid()
    file.record({ parentUuid: parent, ...common, type, ...extra, uuid: id, timestamp: timestamp() })
    parent = id
  }

  total.sessions++
  if (fraction() < 0.5) file.record({ type: 'summary', summary: prose(50), leafUuid: uuid() })
  const model = pick(models)
  let context = integer(12000, 20000)
  while (file.bytes < wanted) {
    const prompt = prose(tiny ? 80 : Math.min(size(180, 1.1), 20000))
    // The id of a record is drawn after its content.
    record('user', { message: { role: 'user', content: maybeNeedle(prompt) } })
    if (fraction() < 0.15) file.record(snapshot(uuid(), uuid(), timestamp()))
    const steps = tiny ? 1 : Math.max(1, Math.min(size(6, 0.9), 80))
    for (let step = 0; step < steps && file.bytes < wanted; step++) writeStep(step === steps - 1)
    if (fraction() < 0.03) {
      record('system', { subtype: 'turn_duration', content: prose(60), level: 'info', isMeta: false })
    }
    if (tiny) break
  }
  file.close(time, totals, total)
  return file.bytes

  /** One message of the model: thinking, text, and a tool call with its result if it is not the last. */
  function writeStep(isLast: boolean): void {
    const id = `msg_01${letters(22)}`
    const requestId = `req_011${letters(21)}`
    const usage = spend()
    const block: WriteBlock = (content, reason) =>
      record('assistant', {
        message: {
          id,
          type: 'message',
          role: 'assistant',
          model,
          content: [content],
          stop_reason: reason,
          stop_sequence: null,
          usage,
        },
        requestId,
      })
    if (fraction() < 0.3) {
      const thinking = prose(Math.min(size(500, 0.9), 9000))
      block({ type: 'thinking', thinking, signature: letters(integer(200, 900)) }, null)
    }
    if (fraction() < 0.4 || isLast) {
      const answer = maybeNeedle(prose(tiny ? 120 : Math.min(size(320, 1), 12000)))
      block({ type: 'text', text: answer }, isLast ? 'end_turn' : null)
    }
    if (!isLast) writeTool(block)
  }

  function spend(): object {
    const written = integer(100, 4000)
    const usage = {
      input_tokens: integer(3, 12),
      cache_creation_input_tokens: written,
      cache_read_input_tokens: context,
      cache_creation: { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: 0 },
      output_tokens: integer(20, 900),
      service_tier: 'standard',
    }
    context = Math.min(context + written, 180000)
    if (context > 175000) context = 20000
    total.assistantMessages++
    for (const kind of ['input', 'output', 'cache_creation_input', 'cache_read_input'] as const) {
      total[`${kind}_tokens`] += usage[`${kind}_tokens`]
    }
    return usage
  }

  function writeTool(block: WriteBlock): void {
    const name = pick(tools)
    const id = `toolu_01${letters(22)}`
    const path = `${cwd}/src/${word()}/${word()}.ts`
    block({ type: 'tool_use', id, name, input: toolInput(name, path, cwd, world) }, 'tool_use')
    const isImage = fraction() < 0.006
    const body = text.toolResult()
    const source = (): object => ({ type: 'base64', media_type: 'image/png', data: text.image(integer(40000, 600000)) })
    const content = isImage ? [{ type: 'image', source: source() }] : body
    // The second field repeats the body, as real files do.
    record('user', {
      message: {
        role: 'user',
        content: [{ tool_use_id: id, type: 'tool_result', content, is_error: fraction() < 0.05 }],
      },
      toolUseResult: isImage
        ? { type: 'image', file: { base64: '', type: 'image/png', originalSize: 1 } }
        : name === 'Read'
          ? { type: 'text', file: { filePath: path, content: body, numLines: 40, startLine: 1, totalLines: 40 } }
          : { stdout: body, stderr: '', interrupted: false, isImage: false },
    })
  }
}

function snapshot(messageId: string, innerId: string, timestamp: string): object {
  return {
    type: 'file-history-snapshot',
    messageId,
    snapshot: { messageId: innerId, trackedFileBackups: {}, timestamp },
    isSnapshotUpdate: false,
  }
}

function toolInput(name: string, path: string, cwd: string, { random, text }: CorpusWorld): object {
  const { integer, size } = random
  const { prose, mixed, word } = text
  switch (name) {
    case 'Bash':
      return { command: prose(integer(20, 160)), description: prose(30) }
    case 'Edit':
      return {
        file_path: path,
        old_string: mixed(Math.min(size(300, 1), 8000)),
        new_string: mixed(Math.min(size(400, 1), 9000)),
        replace_all: false,
      }
    case 'Write':
      return { file_path: path, content: mixed(Math.min(size(2500, 1), 40000)) }
    case 'Grep':
      return { pattern: word(), path: cwd, output_mode: 'content' }
    default:
      return { file_path: path }
  }
}
