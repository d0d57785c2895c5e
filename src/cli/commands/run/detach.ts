import { type ExitKind, IonError } from '../../../platform/error.ts'
import type { RunRequest } from '../../../run/run-task.ts'
import type { Context } from '../../command.ts'

export async function detach(_request: RunRequest, _context: Context): Promise<ExitKind> {
  throw new IonError('failed', 'not yet', { hint: '' })
}
