import { resolve } from 'node:path'
import { findAgent } from '../../agents/find.ts'
import { importState, readStateFile } from '../../archive/agentapi-import.ts'
import { Archive } from '../../archive/archive.ts'
import { checkLog } from '../../archive/checked-log.ts'
import type { SessionStart } from '../../events/event.ts'
import { IonError } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { toJsonText } from '../../platform/json-text.ts'
import { plain } from '../../platform/plain-text.ts'
import type { Run } from '../command.ts'
import type { importLog } from '../definitions/copies.ts'
import { pluralize } from '../text.ts'
import { requireFile } from '../validate.ts'

type ImportInto = (archive: Archive) => { readonly start: SessionStart; readonly added: number }

/** Checks all files before it imports the first. */
export const run: Run<typeof importLog> = async ([paths], options, { io, out }) => {
  const agent = options.agent === undefined ? undefined : findAgent(options.agent).id
  const cwd = options.cwd === undefined ? null : resolve(io.cwd, options.cwd)
  const files = paths.map((file) => ({ file, importInto: checkFile(file, agent, cwd, io) }))
  const archive = new Archive(io)
  try {
    for (const { file, importInto } of files) {
      const { start, added } = importInto(archive)
      const { session_id: id, agent, title } = start
      const name = `${id} (${plain(title ?? 'untitled')})`
      if (options.json) out.write(`${toJsonText({ file, id, agent, added })}\n`)
      else {
        const what =
          added > 0 ? `${pluralize(added, 'new event')} of ${name}` : `nothing new, ${name} is already in the archive`
        out.write(`${plain(file)}: ${what}\n`)
      }
    }
  } finally {
    archive.close()
  }
  return 'ok'
}

function checkFile(file: string, agent: string | undefined, cwd: string | null, io: Io): ImportInto {
  const path = resolve(io.cwd, file)
  requireFile(path)
  const state = readStateFile(path)
  if (!state) {
    const log = checkLog(path, io)
    return (archive) => ({ start: log.start, added: archive.import(log.start, log.events()) })
  }
  if (agent === undefined) {
    throw new IonError('usage', `${file} is an agentapi chat, which does not name its agent`, {
      hint: `ion import --agent <id> ${file}`,
    })
  }
  return (archive) => importState(state, { agent, cwd }, archive, io)
}
