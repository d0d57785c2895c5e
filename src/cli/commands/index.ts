import { type Command, defineCommand } from '../command.ts'
import { capture, importLog, prune, replica, restore, snapshot } from '../definitions/copies.ts'
import { complete, host, replicaProcess, serveProcess, webProcess } from '../definitions/internal.ts'
import {
  agents,
  completion,
  config,
  demo,
  doctor,
  modules,
  prices,
  reindex,
  status,
  storage,
} from '../definitions/machine.ts'
import { note, pin, rename, tag } from '../definitions/organise.ts'
import { attach, fork, handover, logs, ps, resume, run, serve, stop } from '../definitions/running.ts'
import { changes, exportSessions, files, open, search, sessions, share, show, web } from '../definitions/sessions.ts'
import { usage } from '../definitions/usage.ts'

/** All commands, in the order in which help shows them. */
export const commands: readonly Command[] = [
  defineCommand(run, () => import('./run/run.ts')),
  defineCommand(resume, () => import('./resume.ts')),
  defineCommand(handover, () => import('./handover/run.ts')),
  defineCommand(fork, () => import('./handover/fork.ts')),
  defineCommand(ps, () => import('./ps.ts')),
  defineCommand(attach, () => import('./attach.ts')),
  defineCommand(logs, () => import('./logs.ts')),
  defineCommand(stop, () => import('./stop.ts')),
  defineCommand(serve, () => import('./serve/run.ts')),
  defineCommand(sessions, () => import('./sessions.ts')),
  defineCommand(show, () => import('./show/run.ts')),
  defineCommand(search, () => import('./search.ts')),
  defineCommand(changes, () => import('./changes.ts')),
  defineCommand(files, () => import('./files.ts')),
  defineCommand(usage, () => import('./usage/run.ts')),
  defineCommand(web, () => import('./web/run.ts')),
  defineCommand(open, () => import('./web/open.ts')),
  defineCommand(rename, () => import('./organise/rename.ts')),
  defineCommand(tag, () => import('./organise/tag.ts')),
  defineCommand(pin, () => import('./organise/pin.ts')),
  defineCommand(note, () => import('./organise/note.ts')),
  defineCommand(exportSessions, () => import('./export/run.ts')),
  defineCommand(share, () => import('./share.ts')),
  defineCommand(capture, () => import('./capture/run.ts')),
  defineCommand(restore, () => import('./restore.ts')),
  defineCommand(importLog, () => import('./import.ts')),
  defineCommand(snapshot, () => import('./snapshot/run.ts')),
  defineCommand(replica, () => import('./replica/run.ts')),
  defineCommand(prune, () => import('./prune/run.ts')),
  defineCommand(status, () => import('./status.ts')),
  defineCommand(agents, () => import('./agents.ts')),
  defineCommand(doctor, () => import('./doctor/run.ts')),
  defineCommand(storage, () => import('./storage/run.ts')),
  defineCommand(prices, () => import('./prices/run.ts')),
  defineCommand(reindex, () => import('./reindex.ts')),
  defineCommand(modules, () => import('./modules.ts')),
  defineCommand(config, () => import('./config.ts')),
  defineCommand(completion, () => import('./completion.ts')),
  defineCommand(demo, () => import('./demo/run.ts')),
  defineCommand(complete, () => import('./complete.ts')),
  defineCommand(host, () => import('./host.ts')),
  defineCommand(serveProcess, () => import('./serve-process.ts')),
  defineCommand(webProcess, () => import('./web-process.ts')),
  defineCommand(replicaProcess, () => import('./replica-process.ts')),
]
