import { readSession } from '../catalog/read-session.ts'
import type { Problem } from '../events/item.ts'
import type { ExportFormat, ShareOptions } from '../export/session.ts'
import { readMarks } from '../organise/read-marks.ts'
import { paced } from '../platform/pace.ts'
import { ioOf } from './options.ts'
import { type IndexOptions, type SessionReference, withSession } from './session.ts'

export interface ExportSessionOptions extends IndexOptions {
  /** Default: `md`. */
  readonly format?: ExportFormat
  /** Mask secrets, home paths and e-mail addresses. */
  readonly redact?: boolean
  /** The most recently continued branch, or all. Default: `main` for md and html, `all` for json and jsonl. */
  readonly branch?: 'main' | 'all'
  /** Full tool input and output (md, html). */
  readonly full?: boolean
  /** Include the model's thinking (md, html). */
  readonly thinking?: boolean
  /** Include messages that the agent added (md, html). */
  readonly system?: boolean
  /** Called for each record that cannot be read and so is left out. */
  readonly onProblem?: (problem: Problem) => void
}

export interface ShareSessionOptions extends IndexOptions, ShareOptions {
  readonly onProblem?: (problem: Problem) => void
}

/** A session as a document or as data, in pieces to write one after the other. It is never in memory as a whole. */
export async function* exportSession(
  session: SessionReference,
  options: ExportSessionOptions = {},
): AsyncGenerator<string, void, undefined> {
  const { format = 'md', signal, onProblem, ...rest } = options
  const io = ioOf(options)
  // Loaded here, since listing and reading do without it.
  const { exportSession: exportPieces, isDocument } = await import('../export/session.ts')
  const source = await withSession(session, options, (located, catalog) => ({
    read: () => readSession(located, io),
    name: readMarks(io).get(located.head).name,
    subAgents: isDocument(format)
      ? catalog
          .sessions({ parent: located.head.id, subAgents: true, hidden: true })
          .map(({ id, title }) => ({ id, title }))
      : [],
    ...(onProblem ? { onProblem } : {}),
  }))
  const redactor = options.redact ? new (await import('../export/redact/redactor.ts')).Redactor([io.home]) : undefined
  for await (const piece of paced(exportPieces(source, { ...rest, format }, redactor), signal)) {
    if (piece !== '') yield piece
  }
}

/** A document of a session to give to others: secrets, home paths and e-mail addresses are masked. Read it before you do. */
export async function* shareSession(
  session: SessionReference,
  options: ShareSessionOptions = {},
): AsyncGenerator<string, void, undefined> {
  const { shareOptions } = await import('../export/session.ts')
  yield* exportSession(session, { ...options, ...shareOptions(options) })
}
