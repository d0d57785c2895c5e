import type { IonEvent } from '../events/event.ts'
import { isProblem, type Problem, type SessionItem } from '../events/item.ts'
import { toJson, toJsonl } from './canonical.ts'
import { type FirstPass, firstPass } from './first-pass.ts'
import type { FolderLinks } from './folder-order.ts'
import { toHtml } from './html.ts'
import { toMarkdown } from './markdown.ts'
import { learnEvent, redactEvent, redactValue } from './redact/redact-event.ts'
import type { Redactor } from './redact/redactor.ts'
import type { TimelineOptions } from './timeline.ts'

export const exportFormats = ['md', 'html', 'json', 'jsonl'] as const

export type ExportFormat = (typeof exportFormats)[number]

/** Meant to be read by people, and so without what they would not miss. */
export function isDocument(format: ExportFormat): boolean {
  return format === 'md' || format === 'html'
}

export interface SessionSource {
  /** Reads the session from its beginning. Called twice where the export needs to know the end at the start. */
  readonly read: () => Iterable<SessionItem>
  /** The name that the user gave the session: the title of a document. Data has what the agent stored. */
  readonly name?: string | null
  /** The sessions of its sub-agents. */
  readonly subAgents?: NonNullable<FirstPass['subAgents']>
  /** Where the other pages are, if the session becomes a page (html) of a folder with an index. */
  readonly links?: FolderLinks
  /** Called once for each record that cannot be read. */
  readonly onProblem?: (problem: Problem) => void
}

export interface ExportOptions extends Partial<TimelineOptions> {
  readonly format: ExportFormat
  /** Default: the main branch for documents, everything for data. */
  readonly branch?: 'main' | 'all'
}

export interface ShareOptions extends Pick<ExportOptions, 'full' | 'thinking'> {
  /** Default: `md`. */
  readonly format?: 'md' | 'html'
}

/**
 * The session in the given format, piece by piece; it is never in memory as a whole. With a `redactor`, everything is
 * masked; each session needs its own. Many pieces are empty: they let a caller that shares its thread pause.
 * Returns what a document says about the session, masked like the document.
 */
export function* exportSession(
  source: SessionSource,
  options: ExportOptions,
  redactor?: Redactor,
): Generator<string, FirstPass | undefined, undefined> {
  const { format } = options
  const branch = options.branch ?? (isDocument(format) ? 'main' : 'all')
  const needsFacts = isDocument(format) || branch === 'main' || redactor !== undefined
  const facts = needsFacts ? yield* firstPass(learnedEvents(source, redactor)) : undefined
  const events = redactedEvents(source, redactor)
  if (facts && isDocument(format)) {
    const { full = false, thinking = false, system = false } = options
    const shown = redactedFacts({ ...facts, name: source.name ?? null, subAgents: source.subAgents ?? [] }, redactor)
    const timeline = { full, thinking, system, branch }
    yield* format === 'md' ? toMarkdown(events, shown, timeline) : toHtml(events, shown, timeline, source.links)
    return shown
  }
  const selected = facts && branch === 'main' ? onMainBranch(events, facts) : events
  yield* format === 'json' ? toJson(selected) : toJsonl(selected)
  return undefined
}

/** Reads the session for its secrets alone, so that `redactor` masks them in what is written before the session is, its file name. */
export function learnSession(source: Pick<SessionSource, 'read'>, redactor: Redactor): void {
  for (const _ of learnedEvents(source, redactor));
}

/** The options of sharing: a document of the main branch with secrets, home paths and e-mail addresses masked. */
export function shareOptions(options: ShareOptions): ExportOptions & { readonly redact: true } {
  const { format = 'md', full = false, thinking = false } = options
  return { format, full, thinking, branch: 'main', redact: true }
}

/** A secret that is recognised only late in the session is then masked from the start. */
function* learnedEvents({ read }: SessionSource, redactor: Redactor | undefined): Generator<IonEvent> {
  for (const item of read()) {
    if (isProblem(item)) continue
    if (redactor) learnEvent(item.event, redactor)
    yield item.event
  }
}

function* redactedEvents({ read, onProblem }: SessionSource, redactor: Redactor | undefined): Generator<IonEvent> {
  for (const item of read()) {
    if (isProblem(item)) onProblem?.(item)
    else yield redactor ? redactEvent(item.event, redactor) : item.event
  }
}

function* onMainBranch(events: Iterable<IonEvent>, { branches }: FirstPass): Generator<IonEvent> {
  let place = 0
  for (const event of events) if (branches.isMain(place++)) yield event
}

/** The first pass saw the session unmasked, and a document's header is written from it. */
function redactedFacts(facts: FirstPass, redactor: Redactor | undefined): FirstPass {
  if (!redactor) return facts
  const { branches, ...rest } = facts
  return redactor.uncounted(() => ({
    ...(redactValue(rest, redactor) as Omit<FirstPass, 'branches'>),
    start: facts.start && (redactEvent(facts.start, redactor) as FirstPass['start']),
    branches,
    redacted: true,
  }))
}
