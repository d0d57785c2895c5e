import { resolve } from 'node:path'
import type { ExitKind } from '../../../platform/error.ts'
import { plain } from '../../../platform/plain-text.ts'
import { Archive } from '../../../store/archive.ts'
import { checkLog } from '../../../store/checked-log.ts'
import type { Context, Options } from '../../command.ts'
import { counted } from '../../counted.ts'

/** All files are checked before any is taken in. */
export async function run(args: readonly unknown[], options: Options, { io, out }: Context): Promise<ExitKind> {
  const files = args[0] as readonly string[]
  const logs = files.map((file) => ({ file, log: checkLog(resolve(io.cwd, file), io) }))
  const archive = new Archive(io)
  try {
    for (const { file, log } of logs) {
      const added = archive.import(log.start, log.events())
      const { session_id, agent, title } = log.start
      if (options.json) out.write(`${JSON.stringify({ file, id: session_id, agent, added })}\n`)
      else
        out.write(
          `${plain(file)}: ${counted(added, 'new event')} of ${session_id.slice(0, 8)} (${plain(title ?? 'untitled')})\n`,
        )
    }
  } finally {
    archive.close()
  }
  return 'ok'
}
