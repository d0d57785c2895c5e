import type { ExitKind } from '../../../platform/error.ts'
import type { Context, Options } from '../../command.ts'
import { findFresh } from '../../find-session.ts'
import { withRemote } from '../../remote-sessions.ts'
import { withCatalog } from '../../with-catalog.ts'
import { startExporter } from '../export/exporter.ts'
import { printPieces } from '../export/print-pieces.ts'
import { writeAll } from '../export/write-all.ts'

export async function run(
  args: readonly (string | readonly string[] | undefined)[],
  options: Options,
  context: Context,
): Promise<ExitKind> {
  const format = options.html === true ? 'html' : 'md'
  const output = options.output === '-' ? undefined : (options.output as string | undefined)
  return withCatalog(context, async (local): Promise<ExitKind> => {
    const catalog = options.remote ? withRemote(local, context) : local
    const row = findFresh(catalog, String(args[0]), context)
    const exporter = await startExporter(catalog, context, {
      format,
      progress: output !== undefined || !context.out.isTTY,
      redact: true,
      branch: 'main',
      shown: { full: options.full === true, thinking: options.thinking === true, system: false },
    })
    if (output === undefined) await printPieces(exporter.pieces(row), format, context)
    else writeAll([row], exporter, { output, several: false, format, force: options.force === true }, context)
    exporter.report()
    return 'ok'
  })
}
