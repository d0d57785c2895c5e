import { type Located, readSession } from '../../../catalog/read-session.ts'
import { type Item, isProblem, type Problem } from '../../../events/item.ts'
import type { IonEvent } from '../../../events/schema.ts'
import { toJson, toJsonl } from '../../../export/canonical.ts'
import { type Survey, survey } from '../../../export/first-pass.ts'
import { toHtml } from '../../../export/html.ts'
import { toMarkdown } from '../../../export/markdown.ts'
import { learnEvent, redactEvent, redactValue } from '../../../export/redact/redact-event.ts'
import type { Redactor } from '../../../export/redact/redactor.ts'
import type { TimelineOptions } from '../../../export/timeline.ts'
import type { Io } from '../../../platform/io.ts'
import { limitHeap } from '../../../platform/memory.ts'

export type Format = 'md' | 'html' | 'json' | 'jsonl'

/** To be read by a person. */
export function isDocument(format: Format): boolean {
  return format === 'md' || format === 'html'
}

export interface ExportRequest {
  readonly located: Located
  readonly format: Format
  /** Left out: the main branch for documents, everything for data. */
  readonly branch: 'main' | 'all' | undefined
  readonly shown: Omit<TimelineOptions, 'branch'>
  /** Masks everything; one for each session. */
  readonly redactor: Redactor | undefined
  /** Sessions that it started. */
  readonly subAgents: NonNullable<Survey['subAgents']>
  /** Called now and then with the number of events read; documents are read twice. */
  readonly onRead: (events: number) => void
  /** Called once for each thing that could not be read. */
  readonly onProblem: (problem: Problem) => void
}

/** The session in its format, piece by piece. It is read as often as needed and never held whole. */
export function sessionPieces(request: ExportRequest, io: Io): Iterable<string> {
  const { format, redactor } = request
  const document = isDocument(format)
  const branch = request.branch ?? (document ? 'main' : 'all')
  const found = document || branch === 'main' || redactor ? survey(learning(request, io)) : undefined
  const events = masked(request, io)
  if (document && found) {
    const facts = redactedSurvey({ ...found, subAgents: request.subAgents }, redactor)
    return (format === 'md' ? toMarkdown : toHtml)(events, facts, { ...request.shown, branch })
  }
  const chosen = branch === 'main' && found ? onMain(events, found) : events
  return format === 'json' ? toJson(chosen) : toJsonl(chosen)
}

function* learning(request: ExportRequest, io: Io): Generator<IonEvent> {
  const { redactor } = request
  for (const item of items(request, io)) {
    if (isProblem(item)) continue
    if (redactor) learnEvent(item.event, redactor)
    yield item.event
  }
}

function* masked(request: ExportRequest, io: Io): Generator<IonEvent> {
  const { redactor, onProblem } = request
  for (const item of items(request, io)) {
    if (isProblem(item)) onProblem(item)
    else yield redactor ? redactEvent(item.event, redactor) : item.event
  }
}

function* items({ located, onRead }: ExportRequest, io: Io): Generator<Item> {
  let count = 0
  for (const item of limitHeap(readSession(located, io))) {
    yield item
    if (++count % 1000 === 0) onRead(count)
  }
}

function* onMain(events: Iterable<IonEvent>, { branches }: Survey): Generator<IonEvent> {
  let place = 0
  for (const event of events) if (branches.isMain(place++)) yield event
}

/** The document's head is written from the survey, which saw the session as it is. */
function redactedSurvey(found: Survey, redactor: Redactor | undefined): Survey {
  if (!redactor) return found
  const { branches, ...facts } = found
  return redactor.uncounted(() => ({
    ...(redactValue(facts, redactor) as Omit<Survey, 'branches'>),
    start: found.start && (redactEvent(found.start, redactor) as Survey['start']),
    branches,
    redacted: true,
  }))
}
