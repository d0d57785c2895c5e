import type { Catalog } from '../../../catalog/catalog.ts'
import type { Located } from '../../../catalog/read-session.ts'
import type { SessionFilter, SessionRow } from '../../../catalog/session-row.ts'
import { exportFileName } from '../../../export/file-name.ts'
import type { ExitKind } from '../../../platform/error.ts'
import { palette } from '../../colour.ts'
import type { Context, Options } from '../../command.ts'
import { pick } from '../../picker/pick.ts'
import type { PickerState } from '../../picker/state.ts'
import { shellLine } from '../../shell-line.ts'
import { showSession } from '../show/show-session.ts'
import { projectHere } from './run.ts'

/** The picker, again and again until the user leaves it, asks for something that is printed, or for a session to resume. */
export async function choose(
  catalog: Catalog,
  filter: SessionFilter,
  scope: string | null,
  options: Options,
  context: Context,
): Promise<ExitKind | Located> {
  const { io, out } = context
  const here = scope ?? projectHere(io)
  const project = here !== null && catalog.count({ ...filter, project: here }) > 0 ? here : null
  let resume: PickerState | undefined
  for (;;) {
    const { outcome, state } = await pick(catalog, context, {
      filter,
      project,
      all: options.all === true,
      enter: options.resume ? 'resume' : 'show',
      ...(resume ? { resume } : {}),
    })
    resume = state
    switch (outcome.kind) {
      case 'leave':
        return 'ok'
      case 'show': {
        if (options.resume) return catalog.locate(outcome.row)
        const { stays } = await showSession(catalog, outcome.row, {}, context, { stay: true })
        // Back to the picker, but only where the text was not printed above it.
        if (!stays) return 'ok'
        break
      }
      case 'resume':
        return catalog.locate(outcome.row)
      case 'export':
        out.write(`${exportLine(outcome.row)}\n`)
        return 'ok'
      case 'copy':
        copy(outcome.row.id, context)
        return 'ok'
    }
  }
}

/** The picker of `ion --resume`: what is chosen is resumed. Undefined when the user left it. */
export async function chooseToResume(catalog: Catalog, context: Context): Promise<Located | undefined> {
  const chosen = await choose(catalog, {}, projectHere(context.io), { resume: true }, context)
  return typeof chosen === 'string' ? undefined : chosen
}

function exportLine(row: SessionRow): string {
  return shellLine(['ion', 'export', row.id, '--format', 'md', '-o', exportFileName(row, 'md')])
}

/** Into the clipboard by the terminal (OSC 52), which works over SSH too; printed for the terminals that do not. */
function copy(id: string, { out }: Context): void {
  out.write(`\x1b]52;c;${Buffer.from(id).toString('base64')}\x07${palette(out).strong(id)}\n`)
}
