import { basename } from 'node:path'
import { sessionId } from '../../events/id.ts'
import type { Problem } from '../../events/item.ts'
import type { Block, Content } from '../../events/schema.ts'
import { type SessionHead, titleFrom } from '../../events/session.ts'
import { groupBlocks, textMessage, toContent, tokenUsage } from '../../native/content.ts'
import { endRecords, fileHead, headOrProblem } from '../../native/file-head.ts'
import {
  asArray,
  asObject,
  asString,
  parsedObject,
  requireArray,
  requireObject,
  requireString,
} from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import type { Draft } from '../../native/sequencer.ts'
import { toIso } from '../../native/time.ts'
import type { FileStamp } from '../../native/walk.ts'
import { readHead, readTail } from '../../native/window.ts'
import type { Source } from '../agent.ts'

/** Engine v2. */
type Fields = Readonly<Record<string, unknown>>

const WINDOW = 32 * 1024

/** `<id>.json` describes the session, `<id>.jsonl` contains it. */
export function* v2Head(source: Source, reading: ReadContext): Generator<SessionHead | Problem> {
  const { path, files } = source
  yield* headOrProblem(path, () => {
    const meta = metadata(source, reading)
    const lines = path.endsWith('.jsonl') ? endRecords(files[0]!, reading) : { first: [], last: [] }
    const parent = asString(meta.parent_session_id)
    const updated = [toIso(meta.updated_at), ...lines.last.map(timeOf)].filter((time) => time !== undefined)
    return {
      ...fileHead('kiro', basename(path).replace(/\.jsonl?$/, ''), files),
      title: titleFrom(asString(meta.title) || firstPrompt(lines.first)),
      cwd: asString(meta.cwd) || null,
      created_at: toIso(meta.created_at) ?? lines.first.map(timeOf).find(Boolean) ?? null,
      // When Kiro was killed in a turn, the lines are ahead of the metadata.
      updated_at: updated.sort().at(-1) ?? null,
      model: modelOf(meta),
      format: 'v2-jsonl',
      resumable: parent === undefined && meta.session_created_reason !== 'subagent',
      ...(parent ? { parent_session: sessionId('kiro', parent) } : {}),
    }
  })
}

/** The session that started the one that this metadata describes. */
export function parentIn(file: FileStamp, reading: ReadContext): string | undefined {
  try {
    return asString(metadata({ path: file.path, files: [file] }, reading).parent_session_id)
  } catch {
    return undefined
  }
}

/**
 * What comes before `session_state` and after its `rts_model_state`: between them is a list that grows with every turn.
 * Empty when there is no metadata, or none that parses.
 */
function metadata(source: Source, reading: ReadContext): Fields {
  const file = source.files.find((stamp) => stamp.path.endsWith('.json'))
  if (!file) return {}
  const head = readHead(file.path, Math.min(WINDOW, file.size), reading).toString('utf8')
  const whole = file.size <= WINDOW ? parsedObject(head) : undefined
  if (whole) return whole
  const [front = ''] = head.split('"session_state":', 1)
  const tail = readTail(file.path, Math.min(WINDOW, file.size), reading).toString('utf8')
  const at = tail.lastIndexOf('"rts_model_state":')
  const state = at < 0 ? undefined : parsedObject(`{${tail.slice(at).replace(/\}\s*$/, '')}`)
  return { ...parsedObject(`${front.replace(/,\s*$/, '')}}`), ...(state ? { session_state: state } : {}) }
}

function modelOf(meta: Fields): string | null {
  const info = asObject(asObject(asObject(meta.session_state)?.rts_model_state)?.model_info)
  return asString(info?.model_id) ?? asString(info?.model_name) ?? null
}

/** Only prompts have a time. */
function timeOf(line: Fields): string | undefined {
  return toIso(asObject(asObject(line.data)?.meta)?.timestamp)
}

function firstPrompt(lines: readonly Fields[]): string {
  const prompt = lines.find((line) => line.kind === 'Prompt')
  const blocks = asArray(asObject(prompt?.data)?.content) ?? []
  return blocks.map((block) => asString(asObject(block)?.data)).find(Boolean) ?? ''
}

/** `record` is a line, `{ version: 'v1', kind, data }`, or one turn of the metadata beside it as `{ turn }`. */
export function v2Drafts(record: Fields): Draft[] | undefined {
  if ('turn' in record) return usageDrafts(requireObject(record.turn, 'turn'))
  const data = asObject(record.data) ?? {}
  switch (record.kind) {
    case 'Prompt':
      return messageDrafts(data, 'user').map((draft) => ({ ...draft, time: asObject(data.meta)?.timestamp }))
    case 'AssistantMessage':
      return messageDrafts(data, 'assistant')
    case 'ToolResults':
      return messageDrafts(data, 'user')
    case 'Compaction':
      return compaction(data)
    case 'Clear':
    case 'ResetTo':
      return [{ type: 'system', subtype: record.kind === 'Clear' ? 'cleared' : 'reset', content: record.data ?? null }]
    case 'CancelledPrompt':
      return [{ type: 'system', subtype: 'interrupted', content: record.data ?? null }]
    default:
      return undefined
  }
}

function messageDrafts(data: Fields, role: 'user' | 'assistant'): Draft[] {
  const blocks = requireArray(data.content, 'content').map((value) => requireObject(value, 'content block'))
  const textBlock = (block: Fields): Block | undefined =>
    block.kind === 'text' ? { type: 'text', text: asString(block.data) ?? '' } : undefined
  return groupBlocks(blocks, textBlock, textMessage(role), blockDraft)
}

function blockDraft(block: Fields): Draft {
  const data = asObject(block.data) ?? {}
  switch (block.kind) {
    case 'thinking':
      return thinking(block)
    case 'toolUse':
      return {
        type: 'tool_use',
        id: asString(data.toolUseId),
        name: requireString(data.name, 'name of a tool use'),
        input: data.input ?? {},
      }
    case 'toolResult':
      return {
        type: 'tool_result',
        tool_use_id: asString(data.toolUseId) ?? '',
        content: resultContent(data.content),
        is_error: asString(data.status)?.toLowerCase() === 'error',
      }
    default:
      return { type: 'native', record: block }
  }
}

/** Its `modelId` is the only place where a line names the model. */
function thinking(block: Fields): Draft {
  const data = asObject(block.data)
  const text = asString(block.data) ?? asString(data?.text) ?? asString(data?.thinking)
  if (text === undefined) return { type: 'native', record: block }
  const model = asString(data?.modelId)
  return { type: 'thinking', content: text, ...(model ? { model } : {}) }
}

function resultContent(content: unknown): Content {
  const parts = asArray(content)
  if (!parts) return asString(content) ?? ''
  const blocks = parts.map((value): Block => {
    const part = asObject(value)
    const text = part?.kind === 'text' ? asString(part.data) : undefined
    return { type: 'text', text: text ?? JSON.stringify(part && 'data' in part ? part.data : (value ?? null)) }
  })
  return toContent(blocks)
}

function compaction(data: Fields): Draft[] | undefined {
  const summary = asString(data.summary) ?? asString(asObject(data.summary)?.content)
  return summary === undefined ? undefined : [{ type: 'compaction', summary, replaces: [] }]
}

/** A turn may have several calls, of which only the sum is stored. Zeros mean that nothing was counted: then `metering_usage`, in credits, is what is billed. */
function usageDrafts(turn: Fields): Draft[] {
  const token_usage = tokenUsage(turn, {
    input: 'input_token_count',
    output: 'output_token_count',
    cache_read: 'cache_read_input_token_count',
    cache_write: 'cache_write_input_token_count',
  })
  if (Object.values(token_usage).every((count) => count === 0)) return []
  const content = { metering_usage: turn.metering_usage ?? null }
  return [{ type: 'system', subtype: 'usage', content, token_usage, call: { is_sum: true }, time: turn.end_timestamp }]
}
