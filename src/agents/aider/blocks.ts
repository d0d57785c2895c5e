import type { Problem, Span } from '../../events/item.ts'
import { BAD_TEXT, hasBadText, tooLong } from '../../native/json-lines.ts'
import { type LineCursor, withLines } from '../../native/line-cursor.ts'
import type { ReadContext } from '../../native/read-context.ts'

/** A piece of the chat history, written by aider in one go. */
export interface Block {
  readonly kind: 'heading' | 'notice' | 'prompt' | 'answer'
  /** Without the prefixes; for a heading, its time as written. */
  readonly text: string
  readonly span: Span
}

const HEADING = /^# aider chat started at (\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2})\s*$/
const PROMPT = /^####(?: |$)/
const NOTICE = /^>(?: |$)/

/** A longer answer is split: memory must not depend on the file. */
const MAX_BLOCK = 8 * 1024 * 1024

/**
 * The blocks of a chat history from byte `from` on, which must be the start of a run. A missing file is a problem.
 *
 * Markdown has no roles, but what aider writes itself can be recognised: it ends prompt and notice lines with two spaces,
 * puts an empty line before a prompt and around an answer, and writes only notices between the heading of a run and its
 * first prompt. A notice of several lines has `> ` on the first and the two spaces on the last.
 */
export function readBlocks(path: string, reading: ReadContext, from = 0): Generator<Block | Problem> {
  return withLines(path, reading, from, (cursor) => blocksOf(cursor, reading))
}

function* blocksOf(cursor: LineCursor, reading: ReadContext): Generator<Block | Problem> {
  const { path } = cursor
  let lines: string[] = []
  let kind: Block['kind'] | undefined
  let start = 0
  let end = 0
  let size = 0
  let afterBlank = true
  let afterNotice = false
  /** Between a heading and the first prompt. */
  let inHead = false

  const finish = (): Block[] => {
    const done = kind
    const text = lines.join('\n')
    kind = undefined
    lines = []
    size = 0
    if (!done) return []
    afterNotice = done === 'notice'
    return [
      { kind: done, text: done === 'answer' ? text.trim() : text, span: { path, offset: start, length: end - start } },
    ]
  }
  const add = (as: Block['kind'], text: string): void => {
    if (kind === undefined) start = cursor.offset
    kind = as
    lines.push(text)
    size += text.length
    end = cursor.offset + cursor.length
  }

  while (cursor.next()) {
    const { line, offset, terminated } = cursor
    if (cursor.tooLong) {
      reading.coverage.bad++
      yield { ...tooLong(cursor), path, line, offset }
      continue
    }
    if (hasBadText(cursor)) yield { ...BAD_TEXT, path, line, offset }
    const text = cursor.buffer.toString('utf8', cursor.start, cursor.end).replace(/\r$/, '')
    // A last line that is still being written lacks its end: its start must do.
    const marked = text.endsWith('  ') || !terminated
    const heading = afterBlank ? HEADING.exec(text) : null
    const inNotice = kind === 'notice'
    if (heading) {
      yield* finish()
      add('heading', heading[1]!)
      yield* finish()
      inHead = true
    } else if (PROMPT.test(text) && marked && (afterBlank || kind === 'prompt')) {
      if (afterBlank) yield* finish()
      add('prompt', unmarked(text.slice(5)))
      inHead = false
    } else if (inNotice) {
      add('notice', unmarked(text))
      if (marked) yield* finish()
    } else if (
      NOTICE.test(text) &&
      (marked ? kind !== 'answer' || afterBlank : inHead || (!afterBlank && (kind === 'prompt' || afterNotice)))
    ) {
      yield* finish()
      add('notice', unmarked(text.slice(2)))
      if (marked) yield* finish()
    } else if (text.trim() === '') {
      if (kind === 'answer') lines.push('')
      else yield* finish()
    } else if (inHead) {
      yield* finish()
      add('notice', unmarked(text))
      yield* finish()
    } else {
      if (kind !== 'answer' || size > MAX_BLOCK) yield* finish()
      add('answer', text)
      afterNotice = false
    }
    afterBlank = text.trim() === ''
  }
  yield* finish()
}

/** Without aider's two trailing spaces. */
function unmarked(text: string): string {
  return text.endsWith('  ') ? text.slice(0, -2) : text.trimEnd()
}
