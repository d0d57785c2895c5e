import { type ExitKind, IonError } from '../../../platform/error.ts'
import type { Context, Options } from '../../command.ts'
import { showAudit } from './audit.ts'
import { runMigrate } from './migrate.ts'
import { printPath } from './path.ts'

export async function run(args: readonly unknown[], options: Options, context: Context): Promise<ExitKind> {
  const [what, names = []] = args as [string, (readonly string[])?]
  if (what !== 'migrate') {
    const stray = ['dry-run', 'undo', 'yes'].find((flag) => options[flag === 'dry-run' ? 'dryRun' : flag])
    if (stray !== undefined) {
      throw new IonError('usage', `--${stray} belongs to migrate`, { hint: `ion modules migrate --${stray}` })
    }
  }
  switch (what) {
    case 'path':
      return printPath(names, options, context)
    case 'audit':
      return showAudit(names, options, context)
    case 'migrate':
      return runMigrate(names, options, context)
    default:
      throw new IonError('usage', `"${what}" is nothing that ion modules does`, {
        hint: 'one of: path, audit, migrate',
      })
  }
}
