import type { SteppedCatalog } from '../../catalog/catalog.ts'
import type { Located } from '../../catalog/read-session.ts'
import type { SessionFilter, SessionRow } from '../../catalog/session-row.ts'
import type { ExitKind } from '../../platform/error.ts'
import { type Context, withDefaults } from '../command.ts'
import { currentProject } from '../current-project.ts'
import { show } from '../definitions/sessions.ts'
import { type Performed, pick } from '../picker/pick.ts'
import type { PickerState, Request } from '../picker/state.ts'
import type { PickerActions } from './pick/actions.ts'

export interface PickOptions {
  /** Start with all projects. */
  readonly all: boolean
  /** What Enter does. */
  readonly enter: 'show' | 'resume'
}

/** A session to resume. */
export interface Chosen {
  readonly session: Located
  /** The agent that is to continue it; its own if undefined. */
  readonly into?: string
}

/** Shows the picker until the user quits or resumes a session. `project`: the current one, if there is one. */
export async function pickSession(
  catalog: SteppedCatalog,
  filter: SessionFilter,
  project: string | null,
  { all, enter }: PickOptions,
  context: Context,
): Promise<ExitKind | Chosen> {
  // Loaded when needed, after the first paint; what was removed is remembered as long as the picker is used.
  let actions: PickerActions | undefined
  const perform = async (request: Request): Promise<Performed> => {
    const loaded = await import('./pick/actions.ts')
    actions ??= new loaded.PickerActions(catalog, context)
    return actions.perform(request)
  }
  let previous: PickerState | undefined
  for (;;) {
    const { outcome, state } = await pick(catalog, context, {
      ...{ filter, project, all, enter, perform },
      ...(previous ? { previous } : {}),
    })
    previous = state
    switch (outcome.kind) {
      case 'leave':
        return 'ok'
      case 'show': {
        if (enter === 'resume') return { session: catalog.locate(outcome.row) }
        const options = { ...withDefaults(show, {}), part: { kind: 'all' as const }, ...placeOf(outcome.row, state) }
        const { showSession } = await import('./show/show-session.ts')
        const { stays } = await showSession(catalog, outcome.row, options, context, { stay: true })
        // Return to the picker, unless the text was printed to the same screen.
        if (!stays) return 'ok'
        break
      }
      case 'resume':
        return { session: catalog.locate(outcome.row) }
      case 'handover':
        return { session: catalog.locate(outcome.row), into: outcome.agent }
    }
  }
}

/** The picker of `ion --resume`. Undefined if the user quit. */
export async function pickToResume(catalog: SteppedCatalog, context: Context): Promise<Chosen | undefined> {
  const { io, config } = context
  const options = { all: config.all === true, enter: 'resume' } as const
  const chosen = await pickSession(catalog, {}, currentProject(io), options, context)
  return typeof chosen === 'string' ? undefined : chosen
}

/** Where the text of the session matched what was typed. */
function placeOf(row: SessionRow, { matches, query }: PickerState): { at?: string; mark?: string } {
  const event = matches.find((match) => match.row === row)?.hit?.event
  return event ? { at: event, mark: query } : {}
}
