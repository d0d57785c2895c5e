import type { Command } from '../command.ts'
import { command as agents } from './agents/definition.ts'
import { command as attach } from './attach/definition.ts'
import { command as capture } from './capture/definition.ts'
import { command as complete } from './complete/definition.ts'
import { command as completion } from './completion/definition.ts'
import { command as demo } from './demo/definition.ts'
import { command as doctor } from './doctor/definition.ts'
import { command as exportCommand } from './export/definition.ts'
import { command as fakeAgent } from './fake-agent/definition.ts'
import { command as host } from './host/definition.ts'
import { command as importCommand } from './import/definition.ts'
import { command as logs } from './logs/definition.ts'
import { command as modules } from './modules/definition.ts'
import { command as prune } from './prune/definition.ts'
import { command as ps } from './ps/definition.ts'
import { command as reindex } from './reindex/definition.ts'
import { command as restore } from './restore/definition.ts'
import { command as resume } from './resume/definition.ts'
import { command as run } from './run/definition.ts'
import { command as search } from './search/definition.ts'
import { command as serve } from './serve/definition.ts'
import { command as serveProcess } from './serve-process/definition.ts'
import { command as sessions } from './sessions/definition.ts'
import { command as share } from './share/definition.ts'
import { command as show } from './show/definition.ts'
import { command as snapshot } from './snapshot/definition.ts'
import { command as status } from './status/definition.ts'
import { command as stop } from './stop/definition.ts'
import { command as storage } from './storage/definition.ts'

/** All commands, in the order in which help shows them. */
export const commands: readonly Command[] = [
  run,
  resume,
  ps,
  attach,
  logs,
  stop,
  serve,
  sessions,
  show,
  search,
  exportCommand,
  share,
  capture,
  restore,
  importCommand,
  snapshot,
  prune,
  status,
  agents,
  doctor,
  storage,
  reindex,
  modules,
  completion,
  demo,
  complete,
  fakeAgent,
  host,
  serveProcess,
]
