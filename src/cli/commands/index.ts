import type { Command } from '../command.ts'
import { command as agents } from './agents/definition.ts'
import { command as doctor } from './doctor/definition.ts'
import { command as reindex } from './reindex/definition.ts'
import { command as search } from './search/definition.ts'
import { command as sessions } from './sessions/definition.ts'
import { command as show } from './show/definition.ts'
import { command as status } from './status/definition.ts'

/** All commands, in the order in which help shows them. */
export const commands: readonly Command[] = [status, sessions, show, search, agents, doctor, reindex]
