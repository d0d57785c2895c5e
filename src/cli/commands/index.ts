import { type Command, defineCommand } from '../command.ts'
import { complete, fakeAgent, host, serveProcess } from '../definitions/internal.ts'
import { agents, completion, demo, doctor, modules, reindex, status } from '../definitions/machine.ts'
import { attach, logs, ps, resume, run, serve, stop } from '../definitions/running.ts'
import { search, sessions, show } from '../definitions/sessions.ts'
import { command as capture } from './capture/definition.ts'
import { command as exportCommand } from './export/definition.ts'
import { command as importCommand } from './import/definition.ts'
import { command as prune } from './prune/definition.ts'
import { command as restore } from './restore/definition.ts'
import { command as share } from './share/definition.ts'
import { command as snapshot } from './snapshot/definition.ts'
import { command as storage } from './storage/definition.ts'

/** All commands, in the order in which help shows them. */
export const commands: readonly Command[] = [
  defineCommand(run, () => import('./run/run.ts')),
  defineCommand(resume, () => import('./resume.ts')),
  defineCommand(ps, () => import('./ps.ts')),
  defineCommand(attach, () => import('./attach.ts')),
  defineCommand(logs, () => import('./logs.ts')),
  defineCommand(stop, () => import('./stop.ts')),
  defineCommand(serve, () => import('./serve/run.ts')),
  defineCommand(sessions, () => import('./sessions.ts')),
  defineCommand(show, () => import('./show.ts')),
  defineCommand(search, () => import('./search.ts')),
  exportCommand,
  share,
  capture,
  restore,
  importCommand,
  snapshot,
  prune,
  defineCommand(status, () => import('./status.ts')),
  defineCommand(agents, () => import('./agents.ts')),
  defineCommand(doctor, () => import('./doctor/run.ts')),
  storage,
  defineCommand(reindex, () => import('./reindex.ts')),
  defineCommand(modules, () => import('./modules.ts')),
  defineCommand(completion, () => import('./completion.ts')),
  defineCommand(demo, () => import('./demo/run.ts')),
  defineCommand(complete, () => import('./complete.ts')),
  defineCommand(fakeAgent, () => import('./fake-agent.ts')),
  defineCommand(host, () => import('./host.ts')),
  defineCommand(serveProcess, () => import('./serve-process.ts')),
]
