import type { Catalog } from '../../catalog/catalog.ts'
import type { Located } from '../../catalog/read-session.ts'
import type { SessionFilter, SessionRow } from '../../catalog/session-row.ts'
import { exportFileName } from '../../export/file-name.ts'
import type { ExitKind } from '../../platform/error.ts'
import { copyText } from '../clipboard.ts'
import { palette } from '../colour.ts'
import { type Context, withDefaults } from '../command.ts'
import { currentProject } from '../current-project.ts'
import { show } from '../definitions/sessions.ts'
import { pick } from '../picker/pick.ts'
import type { PickerState } from '../picker/state.ts'
import { shellLine } from '../shell-line.ts'
import { showSession } from './show/show-session.ts'

export interface PickOptions {
  /** Start with all projects. */
  readonly all: boolean
  /** What Enter does. */
  readonly enter: 'show' | 'resume'
}

/** Shows the picker until the user quits, or chooses an action that prints something or resumes a session. */
export async function pickSession(
  catalog: Catalog,
  filter: SessionFilter,
  scope: string | null,
  { all, enter }: PickOptions,
  context: Context,
): Promise<ExitKind | Located> {
  const { io, out } = context
  const current = scope ?? currentProject(io)
  const project = current !== null && catalog.count({ ...filter, project: current }) > 0 ? current : null
  let previous: PickerState | undefined
  for (;;) {
    const { outcome, state } = await pick(catalog, context, {
      filter,
      project,
      all,
      enter,
      ...(previous ? { previous } : {}),
    })
    previous = state
    switch (outcome.kind) {
      case 'leave':
        return 'ok'
      case 'show': {
        if (enter === 'resume') return catalog.locate(outcome.row)
        const options = { ...withDefaults(show, {}), part: { kind: 'all' as const }, ...placeOf(outcome.row, state) }
        const { stays } = await showSession(catalog, outcome.row, options, context, { stay: true })
        // Return to the picker, unless the text was printed to the same screen.
        if (!stays) return 'ok'
        break
      }
      case 'resume':
        return catalog.locate(outcome.row)
      case 'export':
        out.write(`${exportLine(outcome.row)}\n`)
        return 'ok'
      case 'copy':
        copyId(outcome.row.id, context)
        return 'ok'
    }
  }
}

/** The picker of `ion --resume`. Undefined if the user quit. */
export async function pickToResume(catalog: Catalog, context: Context): Promise<Located | undefined> {
  const chosen = await pickSession(catalog, {}, currentProject(context.io), { all: false, enter: 'resume' }, context)
  return typeof chosen === 'string' ? undefined : chosen
}

/** Where the text of the session matched what was typed. */
function placeOf(row: SessionRow, { matches, query }: PickerState): { at?: string; mark?: string } {
  const event = matches.find((match) => match.row === row)?.hit?.event
  return event ? { at: event, mark: query } : {}
}

function exportLine(row: SessionRow): string {
  return shellLine(['ion', 'export', row.id, '--format', 'md', '-o', exportFileName(row, 'md')])
}

/** Also prints it, as not every terminal can copy. */
function copyId(id: string, context: Context): void {
  copyText(id, context)
  context.out.write(`${palette(context.out).strong(id)}\n`)
}
