import { countHidden, isLongerInArchive, sessionReader } from '../../../catalog/archived-history.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import type { SessionRow } from '../../../catalog/session-row.ts'
import type { SessionItem } from '../../../events/item.ts'
import type { FirstPass } from '../../../export/first-pass.ts'
import { type IndexEntry, toIndex } from '../../../export/folder-index.ts'
import type { FolderLinks } from '../../../export/folder-order.ts'
import { titleOf as documentTitle } from '../../../export/front-matter.ts'
import type { Doubt } from '../../../export/redact/doubtful.ts'
import type { Redactor } from '../../../export/redact/redactor.ts'
import { describeFinding, NOT_LOOKED_FOR } from '../../../export/redact/rule.ts'
import {
  type ExportFormat,
  type ExportOptions,
  exportSession,
  isDocument,
  learnSession,
} from '../../../export/session.ts'
import { IonError } from '../../../platform/error.ts'
import { formatCount, pluralize } from '../../../platform/format-count.ts'
import { tilde } from '../../../platform/home.ts'
import { limitHeap } from '../../../platform/memory.ts'
import { plain } from '../../../platform/plain-text.ts'
import { palette } from '../../colour.ts'
import type { Context } from '../../command.ts'
import { ProblemSummary } from '../../problem-summary.ts'
import { progressLine } from '../../progress.ts'
import { moreInArchive } from '../../totals.ts'
import { joinPieces, type Written, writeSessions } from './write.ts'

export interface ExportRequest extends ExportOptions {
  readonly redact: boolean
  /** Refuse to write if something that may be a secret is left; needs `redact`. */
  readonly check?: boolean
  /** With all that Ion's archive has of the sessions; of several, those that it has. */
  readonly archived: boolean
  /** A file, or a folder where there are several sessions; undefined for stdout. */
  readonly output: string | undefined
  readonly several: boolean
  readonly force: boolean
  /** What to do if there is something else at `output`; by default, on the command line. */
  readonly otherPlace?: string
}

/** `-o -` is stdout, as without -o. */
export function outputPath({ output }: { readonly output: string | undefined }): string | undefined {
  return output === '-' ? undefined : output
}

/** Writes the sessions to where they were asked for, then reports on stderr what was unreadable and what was masked. */
export async function exportRows(
  rows: readonly SessionRow[],
  catalog: Catalog,
  request: ExportRequest,
  context: Context,
): Promise<void> {
  const { io, out, err } = context
  const { format, output } = request
  // Loaded only when needed: the rules are large.
  const rules = request.redact ? await import('../../../export/redact/redactor.ts') : undefined
  // In a folder, the same secret has the same placeholder on every page and in the index.
  const placeholders = request.several && rules ? new rules.Placeholders() : undefined
  const newRedactor = (): Redactor | undefined => rules && new rules.Redactor([io.home], placeholders)
  const progress = progressLine(context)
  const problems = new ProblemSummary()
  const masked = new Map<string, number>()
  // In a terminal, a progress line would appear in the middle of a session that is printed there.
  const showProgress = (phase: string, done: number, total: number): void => {
    if (output !== undefined || !out.isTTY) progress.onProgress({ phase, done, total })
  }

  const isArchived = (row: SessionRow): boolean => request.archived && (!request.several || row.archived)
  const hasIndex = format === 'html' && request.several
  const facts = new Map<SessionRow, Omit<IndexEntry, 'file' | 'bytes'>>()

  function* piecesOf(row: SessionRow, links?: FolderLinks, shown: ExportOptions = request): Generator<string> {
    const isReported = shown === request
    const archived = isArchived(row)
    const read = sessionReader(catalog, row, { archived }, io)
    let unreadable = 0
    const subAgents = isDocument(format) ? catalog.sessions({ parent: row.id, subAgents: true, hidden: true }) : []
    const redactor: Redactor | undefined = newRedactor()
    const known = yield* exportSession(
      {
        read: () => counted(limitHeap(read()), showProgress),
        name: row.name,
        subAgents: subAgents.map(({ id, title }) => ({ id, title })),
        ...(links ? { links } : {}),
        onProblem(problem) {
          unreadable++
          if (isReported) problems.add(problem)
        },
      },
      // What the archive has is not one conversation with branches any more.
      archived && request.branch === undefined ? { ...shown, branch: 'all' } : shown,
      redactor,
    )
    if (hasIndex && known) {
      const folder = row.project === null ? null : tilde(row.project, io)
      const project = (folder && redactor?.uncounted(() => redactor.redactText(folder))) ?? folder
      facts.set(row, indexFacts({ ...row, project }, known, unreadable))
    }
    if (!isReported) return
    for (const { rule, count } of redactor?.findings ?? []) masked.set(rule, (masked.get(rule) ?? 0) + count)
  }

  if (request.check) {
    const { doubtsIn } = await import('../../../export/redact/doubtful.ts')
    // As Markdown, which has all of the texts and none of the markup of a page.
    for (const row of rows) {
      refuseDoubts([...joinPieces(piecesOf(row, undefined, { ...request, format: 'md' }))].flatMap(doubtsIn), row)
    }
  }
  if (output === undefined) await print(piecesOf(rows[0]!), format, context)
  else {
    // What a file is called is decided before the session is written: a secret in its title may be revealed only later in it.
    const titleOf = (row: SessionRow): string | null => {
      const redactor = newRedactor()
      if (row.title === null || !redactor) return row.title
      const read = sessionReader(catalog, row, { archived: isArchived(row) }, io)
      learnSession({ read: () => counted(limitHeap(read()), showProgress) }, redactor)
      return redactor.redactText(row.title)
    }
    const indexOf = (written: readonly Written[]): Iterable<string> =>
      toIndex(
        written.map(({ row, file, bytes }) => ({ ...facts.get(row)!, file, bytes })),
        { redacted: request.redact },
      )
    writeSessions(rows, { ...request, output, titleOf, piecesOf, ...(hasIndex ? { indexOf } : {}) }, io, {
      note(line) {
        progress.clear()
        err.write(`${line}\n`)
      },
      onProgress: (done, total) => showProgress('exporting', done, total),
    })
  }
  progress.clear()
  if (problems.count > 0) {
    err.write(`${palette(err).warn(`left out: ${pluralize(problems.count, 'unreadable record')}`)}\n`)
    for (const line of problems.lines(io)) err.write(`${line}\n`)
  }
  const note = archiveNote(rows, catalog, request, context)
  if (note !== undefined) err.write(`${palette(err).faint(note)}\n`)
  if (request.redact) err.write(`${describeMasked(masked)}\nnot looked for: ${NOT_LOOKED_FOR}\n`)
  if (request.check) err.write('checked: nothing is left that looks like a secret\n')
}

/** What the index says about a session: what its page says, where that has it. */
function indexFacts(row: SessionRow, known: FirstPass, problems: number): Omit<IndexEntry, 'file' | 'bytes'> {
  const { id, agent, project, created_at, updated_at, parent_session, forked_from } = row
  const { messages, tool_calls, tokens, prompts } = known
  return {
    ...{ id, agent, project, created_at, updated_at, parent_session, forked_from, messages, tool_calls, problems },
    // Of a session that could not be read, the list still has the title; it is not shown unmasked.
    title: known.start || known.redacted ? documentTitle(known) : (row.title ?? documentTitle(known)),
    prompt: prompts[0] ?? null,
    tokens_in: tokens.input + tokens.cache_read + tokens.cache_write,
    tokens_out: tokens.output,
  }
}

const MAX_SHOWN = 5

function refuseDoubts(doubts: readonly Doubt[], row: SessionRow): void {
  const unique = [...new Map(doubts.map((doubt) => [`${doubt.excerpt}${doubt.length}`, doubt])).values()]
  if (unique.length === 0) return
  const shown = unique.slice(0, MAX_SHOWN).map(({ excerpt, length }) => `${plain(excerpt)} (${length} characters)`)
  const more = unique.length > MAX_SHOWN ? `, and ${unique.length - MAX_SHOWN} more` : ''
  throw new IonError(
    'refused',
    `${pluralize(unique.length, 'text')} may be secret and not masked: ${shown.join(', ')}${more}`,
    {
      hint: `ion share ${row.id} > session.md, without --check, and search it for them before you send it`,
    },
  )
}

/** What was not exported because the agents no longer have it. */
function archiveNote(
  rows: readonly SessionRow[],
  catalog: Catalog,
  { archived, several }: ExportRequest,
  { io }: Context,
): string | undefined {
  if (archived) return undefined
  const [row] = rows
  if (row && !several) {
    const events = countHidden(catalog, row, io)
    return events === 0 ? undefined : `${moreInArchive(events)}: --archived exports them too`
  }
  const sessions = rows.filter((one) => isLongerInArchive(catalog, one)).length
  if (sessions === 0) return undefined
  return `Ion's archive has more of ${pluralize(sessions, 'session')} than the agents: --archived exports it too`
}

function* counted(items: Iterable<SessionItem>, showProgress: (phase: string, done: number, total: number) => void) {
  let count = 0
  for (const item of items) {
    yield item
    if (++count % 1000 === 0) showProgress(`exporting, ${formatCount(count)} events`, 0, 0)
  }
}

function describeMasked(masked: ReadonlyMap<string, number>): string {
  const findings = [...masked].sort((a, b) => b[1] - a[1])
  if (findings.length === 0) return 'masked: nothing; no secrets or addresses were found'
  return `masked: ${findings.map(([rule, count]) => describeFinding(rule, count)).join(', ')}`
}

/** Characters that JSON leaves unescaped but a terminal interprets: C1 controls and marks of text direction. */
const TERMINAL_CONTROLS = /[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** To stdout, at the reader's pace. In a terminal, control characters of a transcript are removed or escaped. */
async function print(pieces: Iterable<string>, format: ExportFormat, { out }: Context): Promise<void> {
  const safe = isDocument(format) ? plain : escapeControls
  for (const piece of joinPieces(pieces)) {
    out.write(out.isTTY ? safe(piece) : piece)
    await out.drained?.()
    // Lets the process notice a reader that went away (`| head`).
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function escapeControls(json: string): string {
  return json.replace(TERMINAL_CONTROLS, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
