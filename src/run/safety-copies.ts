import { appendFileSync, constants, copyFileSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import type { SafetyCopy, StartRequest } from '../agents/start.ts'
import { readContext } from '../native/read-context.ts'
import { privateFolder, replaceFile } from '../platform/atomic-file.ts'
import { IonError, messageOf } from '../platform/error.ts'
import { ionHome } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { writeHint } from '../platform/write-hint.ts'

/** Copies what the agent may destroy at this start. Returns the folder; undefined if there was nothing to copy. */
export function saveSafetyCopies(
  agent: Agent,
  kind: 'cold' | 'warm',
  request: StartRequest,
  run: string,
  io: Io,
): string | undefined {
  const copies = [...(agent.start?.filesToBackUp?.(kind, request, readContext(io)) ?? [])]
  const folder = folderOf(agent, run, io)
  try {
    return save(copies, folder)
  } catch (error) {
    throw new IonError('failed', `cannot make the safety copy before this start: ${messageOf(error)}`, {
      cause: error,
      hint: `${writeHint(error, folder)}; nothing was started`,
    })
  }
}

/** The same after the agent has ended; what fails then is tried again before its next start. */
export function removeLeftovers(agent: Agent, request: StartRequest, run: string, io: Io): string | undefined {
  try {
    return save([...(agent.start?.filesToRemove?.(request, readContext(io)) ?? [])], folderOf(agent, run, io))
  } catch {
    return undefined
  }
}

function folderOf(agent: Agent, run: string, io: Io): string {
  return join(ionHome(io), 'vault', 'safety', agent.id, run)
}

function save(copies: readonly SafetyCopy[], folder: string): string | undefined {
  if (copies.length === 0) return undefined
  privateFolder(folder)
  for (const one of copies) {
    const file = join(folder, one.name.replace(/[^\w.-]/g, '_'))
    if ('content' in one) replaceFile(file, one.content)
    else {
      copyFileSync(one.path, file, constants.COPYFILE_FICLONE)
      if (one.move) unlinkSync(one.path)
      else if (one.append !== undefined) appendFileSync(one.path, one.append)
    }
  }
  return folder
}
