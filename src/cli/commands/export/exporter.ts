import type { Catalog } from '../../../catalog/catalog.ts'
import type { SessionRow } from '../../../catalog/session-row.ts'
import type { Redactor } from '../../../export/redact/redactor.ts'
import { describeFinding } from '../../../export/redact/rule.ts'
import { formatCount } from '../../../platform/format-count.ts'
import { palette } from '../../colour.ts'
import type { Context } from '../../command.ts'
import { ProblemNotes } from '../../problem-summary.ts'
import { progressLine } from '../../progress.ts'
import { type ExportRequest, isDocument, sessionPieces } from './session-pieces.ts'

export interface ExportSettings extends Pick<ExportRequest, 'format' | 'branch' | 'shown'> {
  readonly redact: boolean
  /** Where the sessions go to the terminal itself, a progress line would stand in the middle of them. */
  readonly progress: boolean
}

/** Exports sessions one after the other with the same settings, and keeps count of what is to be told at the end. */
export interface Exporter {
  pieces(row: SessionRow): Iterable<string>
  /** Masked as the session is, for a file's name. */
  titleOf(row: SessionRow): string | null
  /** Tells how many of how many sessions are done. */
  step(done: number, total: number): void
  /** A line on stderr, without the progress line in its way. */
  say(line: string): void
  /** Tells on stderr what could not be read, and what was masked. */
  report(): void
}

export async function startExporter(catalog: Catalog, context: Context, settings: ExportSettings): Promise<Exporter> {
  const { io, err } = context
  // Loaded only when asked for: the rules are large.
  const newRedactor = settings.redact
    ? await (await import('../../../export/redact/redactor.ts')).loadRedactors()
    : (): undefined => undefined
  const progress = progressLine(context)
  const masked = new Map<string, number>()
  const problems = new ProblemNotes()
  let redactor: Redactor | undefined

  const settle = (): void => {
    for (const { rule, count } of redactor?.findings ?? []) masked.set(rule, (masked.get(rule) ?? 0) + count)
    redactor = undefined
  }

  const advance = (phase: string, done: number, total: number): void => {
    if (settings.progress) progress.onProgress({ phase, done, total })
  }
  const say = (line: string): void => {
    progress.clear()
    err.write(`${line}\n`)
  }

  return {
    pieces(row) {
      settle()
      redactor = newRedactor()
      const subAgents = isDocument(settings.format)
        ? catalog.sessions({ parent: row.id, subAgents: true, hidden: true })
        : []
      return sessionPieces(
        {
          ...settings,
          located: catalog.locate(row),
          redactor,
          subAgents: subAgents.map(({ id, title }) => ({ id, title })),
          onRead: (events) => advance(`exporting, ${formatCount(events)} events`, 0, 0),
          onProblem: (problem) => problems.add(problem),
        },
        io,
      )
    },
    titleOf: (row) => (row.title === null ? null : (newRedactor()?.redactText(row.title) ?? row.title)),
    step: (done, total) => advance('exporting', done, total),
    say,
    report() {
      settle()
      progress.clear()
      const colours = palette(err)
      if (problems.count > 0) {
        const what =
          problems.count === 1
            ? '1 record that cannot be read is'
            : `${formatCount(problems.count)} records that cannot be read are`
        err.write(`${colours.warn(`${what} not in it`)}\n`)
        for (const line of problems.lines(io)) err.write(`${line}\n`)
      }
      if (settings.redact) say(describeMasked(masked))
    },
  }
}

function describeMasked(masked: ReadonlyMap<string, number>): string {
  const findings = [...masked].sort((a, b) => b[1] - a[1])
  if (findings.length === 0) return 'masked: nothing, no secret or address was found'
  return `masked: ${findings.map(([rule, count]) => describeFinding(rule, count)).join(', ')}`
}
