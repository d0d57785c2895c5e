import { resolve } from 'node:path'
import { findAgent } from '../../../agents/find.ts'
import { readStateFile } from '../../../archive/agentapi-state-file.ts'
import { importState } from '../../../archive/agentapi-state-import.ts'
import { Archive } from '../../../archive/archive.ts'
import { checkLog } from '../../../archive/checked-log.ts'
import type { SessionStart } from '../../../events/event.ts'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import { plain } from '../../../platform/plain-text.ts'
import type { Context, Options } from '../../command.ts'
import { pluralize } from '../../pluralize.ts'
import { requireFile } from '../../require-path.ts'

/** What a file gives when its turn comes. */
type Take = (archive: Archive) => { readonly start: SessionStart; readonly added: number }

/** All files are checked before any is taken in. */
export async function run(args: readonly unknown[], options: Options, context: Context): Promise<ExitKind> {
  const { io, out } = context
  const agent = typeof options.agent === 'string' ? findAgent(options.agent).id : undefined
  const files = (args[0] as readonly string[]).map((file) => ({ file, take: checked(file, agent, options, context) }))
  const archive = new Archive(io)
  try {
    for (const { file, take } of files) {
      const { start, added } = take(archive)
      const { session_id, agent, title } = start
      if (options.json) out.write(`${JSON.stringify({ file, id: session_id, agent, added })}\n`)
      else
        out.write(
          `${plain(file)}: ${pluralize(added, 'new event')} of ${session_id.slice(0, 8)} (${plain(title ?? 'untitled')})\n`,
        )
    }
  } finally {
    archive.close()
  }
  return 'ok'
}

function checked(file: string, agent: string | undefined, options: Options, { io }: Context): Take {
  const path = resolve(io.cwd, file)
  requireFile(path)
  const state = readStateFile(path)
  if (!state) {
    const log = checkLog(path, io)
    return (archive) => ({ start: log.start, added: archive.import(log.start, log.events()) })
  }
  if (agent === undefined) {
    throw new IonError('usage', `${file} is a chat of agentapi, which does not say with which agent`, {
      hint: `ion import --agent <id> ${file}`,
    })
  }
  const cwd = typeof options.cwd === 'string' ? resolve(io.cwd, options.cwd) : null
  return (archive) => importState(state, { agent, cwd }, archive, io)
}
