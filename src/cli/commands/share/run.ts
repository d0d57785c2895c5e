import { shareOptions } from '../../../export/session.ts'
import type { ExitKind } from '../../../platform/error.ts'
import type { Context, Options } from '../../command.ts'
import { findFresh } from '../../find-session.ts'
import { withRemote } from '../../remote-sessions.ts'
import { withCatalog } from '../../with-catalog.ts'
import { exportRows } from '../export/exporter.ts'

export async function run(
  args: readonly (string | readonly string[] | undefined)[],
  options: Options,
  context: Context,
): Promise<ExitKind> {
  return withCatalog(context, async (local): Promise<ExitKind> => {
    const catalog = options.remote ? withRemote(local, context) : local
    const row = findFresh(catalog, String(args[0]), context)
    const request = {
      output: options.output === '-' ? undefined : (options.output as string | undefined),
      ...{ several: false, force: options.force === true },
      ...shareOptions({
        format: options.html === true ? 'html' : 'md',
        full: options.full === true,
        thinking: options.thinking === true,
      }),
    }
    await exportRows([row], catalog, request, context)
    return 'ok'
  })
}
