import { join } from 'node:path'
import type { Agent } from '../../src/agents/agent.ts'
import type { FilePart } from '../../src/agents/backup.ts'
import { isProblem } from '../../src/events/item.ts'
import { readContext } from '../../src/native/read-context.ts'
import type { Io } from '../../src/platform/io.ts'
import { listAll } from './read-all.ts'
import { scratchIo } from './scratch.ts'

/** A home with one of the agent's fixtures. */
export function fixtureHome(agent: Agent, version: string): Io {
  return scratchIo(join(import.meta.dirname, '..', '..', 'src', 'agents', agent.id, 'fixtures', version))
}

/** The backed-up files of a session, relative to their root; `shared` follows those that other sessions need, too. */
export function keptPaths(agent: Agent, native: string, io: Io): string[] {
  const head = listAll(agent, io).heads.find(({ native_id }) => native_id === native)!
  return [...agent.backup!.parts(head, readContext(io))].map((part) => {
    if (isProblem(part)) throw new Error(part.problem)
    return `${part.path}${(part as FilePart).shared ? ' shared' : ''}`
  })
}

/** Whether a copy from another machine may write this path. */
export function isLetIn(agent: Agent, path: string): boolean {
  return Object.values(agent.backup!.files)
    .flat()
    .some((pattern) => pattern.test(path))
}
