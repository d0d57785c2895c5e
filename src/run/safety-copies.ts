import { constants, copyFileSync, mkdirSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import type { SafetyCopy, StartRequest } from '../agents/start.ts'
import { readContext } from '../native/read-context.ts'
import { replaceFile } from '../platform/atomic-file.ts'
import { IonError, messageOf } from '../platform/error.ts'
import { ionHome } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'

/** Copies what the agent may destroy at this start into the vault. Returns where; undefined when there was nothing. */
export function saveSafetyCopies(
  agent: Agent,
  kind: 'cold' | 'warm',
  order: StartRequest,
  run: string,
  io: Io,
): string | undefined {
  const kept = [...(agent.start?.filesToBackUp?.(kind, order, readContext(io)) ?? [])]
  const folder = folderOf(agent, run, io)
  try {
    return keep(kept, folder)
  } catch (error) {
    throw new IonError('failed', `cannot make the safety copy before this start: ${messageOf(error)}`, {
      cause: error,
      hint: `make room or allow writing in ${folder}; nothing was started`,
    })
  }
}

/** The same when the agent has ended; what cannot be done then is tried again before its next start. */
export function clearLeftovers(agent: Agent, order: StartRequest, run: string, io: Io): string | undefined {
  try {
    return keep([...(agent.start?.filesToRemove?.(order, readContext(io)) ?? [])], folderOf(agent, run, io))
  } catch {
    return undefined
  }
}

function folderOf(agent: Agent, run: string, io: Io): string {
  return join(ionHome(io), 'vault', 'safety', agent.id, run)
}

function keep(kept: readonly SafetyCopy[], folder: string): string | undefined {
  if (kept.length === 0) return undefined
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const one of kept) {
    const file = join(folder, one.name.replace(/[^\w.-]/g, '_'))
    if ('content' in one) replaceFile(file, one.content)
    else {
      copyFileSync(one.path, file, constants.COPYFILE_FICLONE)
      if (one.move) unlinkSync(one.path)
    }
  }
  return folder
}
