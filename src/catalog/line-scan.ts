import type { LineScanner, ScanState } from '../agents/line-scanner.ts'
import type { CallEvent } from '../events/model-call.ts'
import type { Summary } from '../events/session.ts'
import { appendGuard } from '../native/append-guard.ts'
import { LineCursor } from '../native/line-cursor.ts'
import type { ReadContext } from '../native/read-context.ts'
import { SMALL_FILE } from '../native/window.ts'
import type { FoundCalls } from './calls/call-store.ts'

/** Where reading an append-only file stopped, with a hash to check that it is unchanged up to there. */
export interface Bookmark {
  readonly offset: number
  readonly guard: string
}

/** The bookmark if everything before it is unchanged; otherwise the file is read from the start. */
function validBookmark(path: string, mark: Bookmark | undefined, reading: ReadContext): Bookmark | undefined {
  return mark && mark.offset > 0 && appendGuard(path, mark.offset, reading) === mark.guard ? mark : undefined
}

/** A count that can be continued: the state covers the complete lines before the bookmark. */
export interface Counted {
  readonly mark: Bookmark
  readonly state: ScanState
}

const LINES_PER_STEP = 256

/** Counts a file, continuing from `before` if it is still valid. A small file is always counted from its start. */
export function* countSteps(
  path: string,
  scanner: LineScanner,
  before: Counted | undefined,
  reading: ReadContext,
): Generator<void, { readonly summary: Summary; readonly scan: Counted | undefined; readonly calls: FoundCalls }> {
  const mark = validBookmark(path, before?.mark, reading)
  const state = mark && before ? before.state : scanner.start()
  let shown = state
  let offset = mark?.offset ?? 0
  const events: CallEvent[] = []
  const onCall = (event: CallEvent): void => void events.push(event)
  const cursor = new LineCursor(path, reading, offset)
  try {
    while (cursor.next()) {
      // A last line without a newline may still grow: it is counted, but read again next time.
      if (!cursor.terminated) shown = JSON.parse(JSON.stringify(state)) as ScanState
      scanner.count(shown, cursor, onCall)
      if (cursor.terminated) offset = cursor.offset + cursor.length + 1
      if (cursor.line % LINES_PER_STEP === 0) yield
    }
  } finally {
    cursor.close()
  }
  const scan = offset <= SMALL_FILE ? undefined : { mark: { offset, guard: appendGuard(path, offset, reading) }, state }
  return { summary: scanner.summary(shown), scan, calls: { events, isMore: mark !== undefined } }
}
