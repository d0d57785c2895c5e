import type { Problem, Span } from '../../events/item.ts'
import type { LineCursor } from '../../native/line-cursor.ts'
import { withLines } from '../../native/line-cursor.ts'
import type { ReadContext } from '../../native/read-context.ts'
import type { Draft } from '../../native/sequencer.ts'
import type { Keyed } from '../../native/translate.ts'
import { userTextDrafts } from './messages.ts'

/** The older transcripts: `user:` or `assistant:` on its own line, then the text. */
export interface TextBlock {
  readonly role: 'user' | 'assistant'
  readonly lines: readonly string[]
}

const ROLE = /^(user|assistant):\s*$/
const MARK = /^\[(Thinking|Tool call|Tool result)\] ?(.*)$/

export function textBlocks(path: string, reading: ReadContext): Generator<Keyed<TextBlock> | Problem> {
  return withLines(path, reading, 0, blocksOf)
}

function* blocksOf(cursor: LineCursor): Generator<Keyed<TextBlock>> {
  const { path } = cursor
  let block: { role: TextBlock['role']; lines: string[]; offset: number; length: number } | undefined
  const close = (): Keyed<TextBlock>[] => {
    if (!block) return []
    const span: Span = { path, offset: block.offset, length: block.length }
    return [{ record: { role: block.role, lines: block.lines }, key: `@${block.offset}`, span }]
  }
  while (cursor.next()) {
    const line = cursor.buffer.toString('utf8', cursor.start, cursor.end)
    const role = ROLE.exec(line)?.[1] as TextBlock['role'] | undefined
    if (role) {
      yield* close()
      block = { role, lines: [], offset: cursor.offset, length: cursor.length }
    } else if (block) {
      block.lines.push(line)
      block.length = cursor.offset + cursor.length - block.offset
    }
  }
  yield* close()
}

/** Thoughts, calls and results begin with a marker, and their lines are indented; the rest is the model's text. */
export function blockDrafts(block: TextBlock, key: string): Draft[] {
  if (block.role === 'user') return userTextDrafts(block.lines.join('\n').trim())
  const drafts: Draft[] = []
  let call = ''
  for (const { mark, about, lines } of sections(block.lines)) {
    const text = lines.join('\n').trim()
    if (mark === 'Tool call') {
      call = `${key}.${drafts.length}`
      drafts.push({ type: 'tool_use', id: call, name: about, input: text ? { text } : {} })
    } else if (mark === 'Tool result') {
      drafts.push({ type: 'tool_result', tool_use_id: call, content: text || about, is_error: false })
    } else if (mark === 'Thinking') {
      drafts.push({ type: 'thinking', content: [about, text].filter(Boolean).join('\n') })
    } else if (text) drafts.push({ type: 'assistant', content: [{ type: 'text', text }] })
  }
  return drafts
}

interface Section {
  readonly mark: string | undefined
  readonly about: string
  readonly lines: string[]
}

function sections(lines: readonly string[]): Section[] {
  const found: Section[] = []
  for (const line of lines) {
    const mark = MARK.exec(line)
    const last = found.at(-1)
    if (mark) found.push({ mark: mark[1], about: mark[2]!.trim(), lines: [] })
    else if (last && (last.mark === undefined || /^\s|^$/.test(line))) last.lines.push(line)
    else found.push({ mark: undefined, about: '', lines: [line] })
  }
  return found
}
