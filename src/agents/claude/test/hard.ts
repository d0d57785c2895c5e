// The hard sessions of the handover proof as 2.1.325 writes them: one record per block, results below their calls, a
// compaction as a boundary and a summary, another branch as another child, sub-agents in files of their own.
import { iso, uuid } from '../../../../scripts/samples/fields.ts'
import type { HardEntry } from '../../../../test/handover/hard-sessions.ts'
import type { HardSource, NativeSession } from '../../../../test/handover/sources.ts'
import { folderName } from '../backup.ts'

export default {
  cannot: {},
  write({ id, cwd, title, entries, start }) {
    const folder = `.claude/projects/${folderName(cwd)}`
    const files: Record<string, string> = {}
    const writer = new Writer({ sessionId: id, cwd, start, isSidechain: false })
    for (const entry of entries) {
      writer.add(entry)
      if (entry.kind !== 'work') continue
      const name = `agent-a${uuid(id, entry.call).replaceAll('-', '').slice(0, 16)}`
      const inner = new Writer({ sessionId: id, cwd, start: writer.time, isSidechain: true, agentId: name.slice(6) })
      for (const one of entry.entries) inner.add(one)
      const path = `${folder}/${id}/subagents/${name}`
      files[`${path}.jsonl`] = inner.text
      const meta = {
        agentType: 'general-purpose',
        isBuiltIn: true,
        description: 'sub',
        toolUseId: entry.call,
        finished: true,
      }
      files[`${path}.meta.json`] = JSON.stringify(meta)
    }
    writer.note({ type: 'custom-title', customTitle: title, sessionId: id })
    files[`${folder}/${id}.jsonl`] = writer.text
    return { nativeId: id, files }
  },
} satisfies HardSource

interface Envelope extends Pick<NativeSession, 'cwd' | 'start'> {
  readonly sessionId: string
  readonly isSidechain: boolean
  readonly agentId?: string
}

class Writer {
  readonly #envelope: Envelope
  readonly #lines: string[] = []
  /** The record of each call. */
  readonly #calls = new Map<string, string>()
  /** What each prompt follows. */
  readonly #prompts: (string | null)[] = []
  #parent: string | null = null
  #count = 0
  /** Blocks of one answer of the model have its id. */
  #answer = 0
  time: number

  constructor(envelope: Envelope) {
    this.#envelope = envelope
    this.time = envelope.start
  }

  get text(): string {
    return this.#lines.map((line) => `${line}\n`).join('')
  }

  note(record: object): void {
    this.#lines.push(JSON.stringify(record))
  }

  add(entry: HardEntry): void {
    if (entry.kind === 'user') this.#prompt(entry)
    else if (entry.kind === 'say') this.#block({ type: 'text', text: entry.text })
    else if (entry.kind === 'think') {
      this.#block({ type: 'thinking', thinking: entry.text, signature: SIGNATURE })
    } else if (entry.kind === 'call') {
      const { id, name, input } = entry
      this.#calls.set(id, this.#block({ type: 'tool_use', id, name, input }))
    } else if (entry.kind === 'result') this.#result(entry)
    else if (entry.kind === 'compact') this.#compact(entry.summary)
    else if (entry.kind === 'back') this.#parent = this.#prompts.at(-entry.prompts) ?? null
  }

  #prompt({ text, image }: Extract<HardEntry, { kind: 'user' }>): void {
    this.#prompts.push(this.#parent)
    this.#answer++
    const { media_type, data } = image ?? {}
    const content = image
      ? [
          { type: 'text', text },
          { type: 'image', source: { type: 'base64', media_type, data } },
        ]
      : text
    this.#record({ type: 'user', message: { role: 'user', content } })
  }

  #block(block: object): string {
    const message = {
      id: `msg_${uuid(this.#envelope.sessionId, 'answer', this.#answer).slice(0, 8)}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-4-8',
      content: [block],
      stop_reason: 'type' in block && block.type === 'tool_use' ? 'tool_use' : 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 3, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 5 },
    }
    return this.#record({ type: 'assistant', message, requestId: `req_${this.#answer}` })
  }

  #result({ id, output, failed }: Extract<HardEntry, { kind: 'result' }>): void {
    this.#answer++
    const block = { tool_use_id: id, type: 'tool_result', content: output, is_error: failed === true }
    const parent = this.#calls.get(id) ?? this.#parent
    const source = { sourceToolAssistantUUID: parent }
    this.#record({ type: 'user', message: { role: 'user', content: [block] }, ...source }, parent)
  }

  #compact(summary: string): void {
    const logicalParentUuid = this.#parent
    const compactMetadata = { trigger: 'manual', preTokens: 1000 }
    this.#record(
      {
        logicalParentUuid,
        type: 'system',
        subtype: 'compact_boundary',
        content: 'Conversation compacted',
        compactMetadata,
      },
      null,
    )
    const message = { role: 'user', content: summary }
    this.#record({ type: 'user', message, isVisibleInTranscriptOnly: true, isCompactSummary: true })
  }

  #record(fields: object, parent: string | null = this.#parent): string {
    const { sessionId, cwd, isSidechain, agentId } = this.#envelope
    const own = uuid(sessionId, agentId ?? 'main', ++this.#count)
    const timestamp = iso((this.time += 1000))
    const rest = { userType: 'external', entrypoint: 'cli', cwd, sessionId, version: '2.1.325', gitBranch: 'main' }
    this.note({
      parentUuid: parent,
      isSidechain,
      ...(agentId ? { agentId } : {}),
      ...fields,
      uuid: own,
      timestamp,
      ...rest,
    })
    this.#parent = own
    return own
  }
}

/** Of the right form, and issued by nobody. */
const SIGNATURE = `EqoB${'kZ9x'.repeat(60)}==`
