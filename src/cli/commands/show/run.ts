import type { ExitKind } from '../../../platform/error.ts'
import type { Context, Options } from '../../command.ts'
import { findFresh } from '../../find-session.ts'
import { withRemote } from '../../remote-sessions.ts'
import { withCatalog } from '../../with-catalog.ts'
import { showJson, showSession } from './show-session.ts'

export async function run(args: readonly unknown[], options: Options, context: Context): Promise<ExitKind> {
  return withCatalog(context, async (local): Promise<ExitKind> => {
    const catalog = options.remote ? withRemote(local, context) : local
    const row = findFresh(catalog, String(args[0]), context)
    const shown = {
      full: options.full === true,
      thinking: options.thinking === true,
      system: options.system === true,
      ...(typeof options.branch === 'string' ? { branch: options.branch } : {}),
    }
    if (options.json) await showJson(catalog, row, shown.branch, context)
    else await showSession(catalog, row, shown, context, { off: options.pager === false })
    return 'ok'
  })
}
