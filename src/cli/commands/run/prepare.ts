import { realpathSync, statSync } from 'node:fs'
import type { Agent } from '../../../agents/agent.ts'
import { settingsText } from '../../../native/settings.ts'
import { replaceFile } from '../../../platform/atomic-file.ts'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import { tilde } from '../../../platform/home.ts'
import type { Context } from '../../command.ts'

/** Writes the settings that the user names, and says what it wrote. */
export function prepare(agent: Agent, what: string, cwd: string, dryRun: boolean, { io, out }: Context): ExitKind {
  const known = agent.start?.prepare ?? {}
  const names = Object.keys(known)
  if (what === 'list') {
    const waiting = new Map(
      (agent.start?.dialogs?.({ cwd, io, args: [] }) ?? []).map((dialog) => [dialog.id, dialog.asks]),
    )
    if (names.length === 0) out.write(`${agent.title} has no first-run dialog that can be answered beforehand\n`)
    for (const name of names) out.write(`${name}: ${waiting.has(name) ? `it ${waiting.get(name)}` : 'nothing to do'}\n`)
    return 'ok'
  }
  for (const name of what.split(',')) {
    const make = known[name.trim()]
    if (!make) {
      throw new IonError('usage', `"${name}" is nothing that can be prepared for ${agent.title}`, {
        hint: names.length ? `one of: ${names.join(', ')}` : 'answer it in the agent itself',
      })
    }
    const { file, content, sets } = make({ cwd, io })
    const isDone = settingsText(file) === content
    if (!isDone && !dryRun) replaceSettings(file, content)
    out.write(`${isDone ? 'already set' : dryRun ? 'would write' : 'wrote'} ${sets} in ${tilde(file, io)}\n`)
  }
  return 'ok'
}

/** The file keeps its mode, and a link to it stays a link. */
function replaceSettings(file: string, content: string): void {
  const stat = statSync(file, { throwIfNoEntry: false })
  replaceFile(stat ? realpathSync(file) : file, content, stat ? stat.mode & 0o777 : 0o600)
}
