import type { Io } from '../../platform/io.ts'
import type { Refusal } from '../start.ts'
import type { AssistantMessage, NewSession, SessionWriter, UserMessage, WriteTarget, WrittenSession } from '../write.ts'
import { providerOf, settings } from './settings.ts'

const VERSION = '0.166.0'

/**
 * A rollout in Codex's older mode: items, which the model gets, each message followed by the event that the screen shows.
 * Codex adds it to its database when it is first resumed. Reasoning is never written: it is sealed for one organisation.
 */
export const writer: SessionWriter = {
  proven: { oldest: VERSION, newest: VERSION },
  budget: 160_000,
  calls: 'kept',
  images: true,
  // Measured: of 102 KB the model gets the beginning and the end, 12 KB in all.
  sendsUpTo: 12_000,
  prepare,
}

/** Codex refuses a session of another provider than the one that it is set to. */
function prepare({ cwd, version, io }: WriteTarget): Refusal | ((session: NewSession) => WrittenSession) {
  const setting = settings(io)
  if (!setting) return { why: 'the config.toml of Codex cannot be read', hint: 'codex says where it is wrong' }
  const provider = providerOf([], cwd, io, setting) ?? setting('model_provider')
  if (provider === undefined) {
    return {
      why: 'which provider Codex will use is not known: a profile or a config.toml of the project may set it',
      hint: 'set model_provider in ~/.codex/config.toml',
    }
  }
  return (session) => write(session, { provider, version: version ?? VERSION, localTime: localTimeOf(session.at, io) })
}

interface Facts {
  readonly provider: string
  readonly version: string
  /** `2026-11-18T05-47-18`: names the file, and the folder of its day. */
  readonly localTime: string
}

function write(session: NewSession, { provider, version, localTime }: Facts): WrittenSession {
  const { id, cwd, at, messages } = session
  const lines: string[] = []
  const add = (timestamp: string, type: string, payload: object): void => {
    lines.push(`${JSON.stringify({ timestamp, type, payload })}\n`)
  }
  add(at, 'session_meta', {
    id,
    timestamp: at,
    cwd,
    originator: 'ion',
    cli_version: version,
    source: 'cli',
    model_provider: provider,
  })
  for (const message of messages) {
    if (message.role === 'user') addPrompt(message, add)
    else addAnswer(message, add)
  }
  const day = localTime.slice(0, 10).replaceAll('-', '/')
  const path = `sessions/${day}/rollout-${localTime}-${id}.jsonl`
  return { nativeId: id, parts: [{ kind: 'file', root: 'codex', path, form: 'lines', content: lines.join('') }] }
}

type Add = (timestamp: string, type: string, payload: object) => void

function addPrompt({ content, timestamp }: UserMessage, add: Add): void {
  const parts = content.map((block) =>
    block.type === 'text'
      ? { type: 'input_text', text: block.text }
      : { type: 'input_image', image_url: `data:${block.media_type ?? 'image/png'};base64,${block.data}` },
  )
  add(timestamp, 'response_item', { type: 'message', role: 'user', content: parts })
  const message = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
  add(timestamp, 'event_msg', { type: 'user_message', message })
}

/** First everything that the model said and called at once, then the results. */
function addAnswer({ content, timestamp }: AssistantMessage, add: Add): void {
  for (const block of content) {
    if (block.type === 'text') {
      const parts = [{ type: 'output_text', text: block.text }]
      add(timestamp, 'response_item', { type: 'message', role: 'assistant', content: parts })
      add(timestamp, 'event_msg', { type: 'agent_message', message: block.text })
    } else {
      const { id, name, input } = block
      add(timestamp, 'response_item', { type: 'function_call', name, arguments: JSON.stringify(input), call_id: id })
    }
  }
  for (const block of content) {
    if (block.type !== 'call') continue
    add(block.timestamp, 'response_item', { type: 'function_call_output', call_id: block.id, output: block.output })
  }
}

/** Codex names files by local time. */
function localTimeOf(iso: string, { env }: Io): string {
  const zone = env.TZ || undefined
  const parts = new Intl.DateTimeFormat('sv-SE', {
    dateStyle: 'short',
    timeStyle: 'medium',
    ...(zone ? { timeZone: zone } : {}),
  })
  return parts.format(new Date(iso)).replace(' ', 'T').replaceAll(':', '-')
}
