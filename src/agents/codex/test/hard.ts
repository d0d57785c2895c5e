// The hard sessions of the handover proof as a rollout of the older mode: response items, messages repeated as events, sealed
// reasoning, a compaction as its own record, going back as an event, and a sub-agent as a thread of its own.
import { iso, uuid } from '../../../../scripts/samples/fields.ts'
import type { HardEntry } from '../../../../test/handover/hard-sessions.ts'
import type { HardSource } from '../../../../test/handover/sources.ts'

export default {
  cannot: {},
  write({ id, cwd, entries, start }) {
    const files: Record<string, string> = {}
    const main = new Rollout(id, cwd, start, { source: 'cli' })
    for (const entry of entries) {
      main.add(entry)
      if (entry.kind !== 'work') continue
      const thread = uuid(id, entry.call)
      const source = { subagent: { thread_spawn: { parent_thread_id: id, depth: 1, agent_path: null } } }
      const inner = new Rollout(thread, cwd, main.time, { source, parent_thread_id: id, thread_source: 'subagent' })
      for (const one of entry.entries) inner.add(one)
      files[inner.path] = inner.text
    }
    files[main.path] = main.text
    return { nativeId: id, files }
  },
} satisfies HardSource

class Rollout {
  readonly path: string
  readonly #lines: string[] = []
  time: number

  constructor(id: string, cwd: string, start: number, meta: object) {
    this.time = start
    const local = iso(start).slice(0, 19).replaceAll(':', '-')
    this.path = `.codex/sessions/${local.slice(0, 10).replaceAll('-', '/')}/rollout-${local}-${id}.jsonl`
    const [originator, cli_version, model_provider] = ['codex_cli_rs', '0.58.0', 'openai']
    this.#line('session_meta', { id, timestamp: iso(start), cwd, originator, cli_version, ...meta, model_provider })
    this.#line('turn_context', {
      cwd,
      approval_policy: 'on-request',
      sandbox_policy: { mode: 'workspace-write' },
      model: 'gpt-5.1-codex',
      effort: 'medium',
      summary: 'auto',
    })
  }

  get text(): string {
    return this.#lines.map((line) => `${line}\n`).join('')
  }

  add(entry: HardEntry): void {
    switch (entry.kind) {
      case 'user': {
        const { text, image } = entry
        const content: object[] = [{ type: 'input_text', text }]
        if (image) content.push({ type: 'input_image', image_url: `data:${image.media_type};base64,${image.data}` })
        this.#item({ type: 'message', role: 'user', content })
        this.#line('event_msg', { type: 'user_message', message: text, images: [] })
        break
      }
      case 'say':
        this.#item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: entry.text }] })
        this.#line('event_msg', { type: 'agent_message', message: entry.text })
        break
      case 'think': {
        const summary = [{ type: 'summary_text', text: entry.text }]
        this.#item({ type: 'reasoning', summary, content: null, encrypted_content: SEALED })
        break
      }
      case 'call': {
        const { id: call_id, name, input } = entry
        this.#item({ type: 'function_call', name, arguments: JSON.stringify(input), call_id })
        break
      }
      case 'result':
        this.#item({ type: 'function_call_output', call_id: entry.id, output: entry.output })
        break
      case 'compact': {
        const content = [{ type: 'input_text', text: entry.summary }]
        const replacement_history = [{ type: 'message', role: 'user', content }]
        this.#line('compacted', { message: entry.summary, replacement_history })
        break
      }
      case 'back':
        this.#line('event_msg', { type: 'thread_rolled_back', num_turns: entry.prompts })
        break
      default:
    }
  }

  #item(payload: object): void {
    this.#line('response_item', payload)
  }

  #line(type: string, payload: object): void {
    this.#lines.push(JSON.stringify({ timestamp: iso((this.time += 1000)), type, payload }))
  }
}

/** Of the right form, and sealed by nobody. */
const SEALED = `gAAAAAB${'pX7q'.repeat(60)}==`
