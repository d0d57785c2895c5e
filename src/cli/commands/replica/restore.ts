import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { findAgent } from '../../../agents/find.ts'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import { bytes } from '../../../platform/format-count.ts'
import { withoutTilde } from '../../../platform/home.ts'
import { toJsonText } from '../../../platform/json-text.ts'
import { dayOf } from '../../../platform/local-time.ts'
import { plain } from '../../../platform/plain-text.ts'
import { parseSince } from '../../../platform/since.ts'
import type { OpenStore } from '../../../replica/open.ts'
import { restoreMoment } from '../../../replica/restore-moment.ts'
import { DEFAULT_TASK, realFolder, taskOf } from '../../../run/task.ts'
import type { Context } from '../../command.ts'
import { shellLine } from '../../shell-line.ts'
import type { ReplicaCommandOptions } from './run.ts'

/** Restores a task of this project, now or as it was, and starts nothing. */
export async function restore(
  name: string | undefined,
  open: () => Promise<OpenStore>,
  { task: taskName = DEFAULT_TASK, from, at, replace, dryRun, json }: ReplicaCommandOptions,
  { io, out, err }: Context,
): Promise<ExitKind> {
  if (name === undefined) {
    throw new IonError('usage', 'no agent is named', {
      hint: 'ion replica restore <agent>; ion replica status lists them',
    })
  }
  const agent = findAgent(name)
  const moment = at === undefined ? undefined : parseMoment(at, io.now())
  const task = taskOf(agent.id, realFolder(io.cwd), taskName, io)
  const command = shellLine(['ion', 'run', agent.id, ...(taskName === DEFAULT_TASK ? [] : ['--task', taskName])])
  const { store, sealer } = await open()
  const notice = (line: string): void => void err.write(`ion: ${plain(line)}\n`)
  const place = { agent, task, store, sealer, io }
  const restored = await restoreMoment({
    ...{ ...place, command, steal: false, notice, wait },
    ...{ from: from && resolve(io.cwd, withoutTilde(from, io)), at: moment, replace, dryRun },
  })
  if (json) out.write(`${toJsonText({ agent: agent.id, task: taskName, dry_run: dryRun, ...restored })}\n`)
  else {
    const what = restored.session_id === null ? `${agent.id} ${taskName}` : `session ${restored.session_id}`
    const when = `as stored at ${secondOf(new Date(restored.at))} by the store's clock`
    out.write(`${dryRun ? 'would restore' : 'restored'} ${what} ${when} (${bytes(restored.bytes)})\n`)
    const { archived_id } = restored
    if (archived_id !== null) out.write(`what was here is in the archive: ion show ${archived_id} --archived\n`)
    if (!dryRun) out.write(`to continue it: ${command}\n`)
  }
  return 'ok'
}

function parseMoment(text: string, now: Date): Date {
  const moment = parseSince(text, now)
  if (moment <= now) return moment
  throw new IonError('usage', `--at ${text} is in the future`, { hint: 'leave it out for the newest state' })
}

/** `2026-11-12 14:02:07` in the user's time zone. */
function secondOf(date: Date): string {
  return `${dayOf(date)} ${date.toTimeString().slice(0, 8)}`
}
