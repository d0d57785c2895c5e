import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { attempt, isMissing, messageOf } from '../platform/error.ts'
import { ionHome } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { type OperationLines, parseOperationLines } from '../platform/operation-lines.ts'
import { AllMarks, allMarks } from './marks.ts'
import { type OperationRecord, parseOperation } from './operation.ts'

/** Names, tags, pins and notes: one operation per line, only ever appended to. */
export function marksPath(io: Io): string {
  return join(ionHome(io), 'organise.jsonl')
}

export interface MarksFile extends OperationLines<OperationRecord> {
  /** Why it could not be read. */
  readonly problem?: string
}

/** Does not throw: without this file, lists are still right. */
export function readMarksFile(io: Io): MarksFile {
  let text: string
  try {
    text = readFileSync(marksPath(io), 'utf8')
  } catch (error) {
    return { operations: [], badLines: 0, ...(isMissing(error) ? {} : { problem: messageOf(error) }) }
  }
  return parseOperationLines(text, parseOperation)
}

export function readMarks(io: Io): AllMarks {
  return allMarks(readMarksFile(io).operations)
}

/** The same for a process that asks often: the file is read again only if it has changed. */
export function marksReader(io: Io): () => AllMarks {
  let before: string | undefined
  let marks = new AllMarks()
  return () => {
    const path = marksPath(io)
    const stat = attempt(() => statSync(path, { throwIfNoEntry: false }))
    const stamp = stat && `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeMs}`
    if (stamp !== before) marks = stamp === undefined ? new AllMarks() : readMarks(io)
    before = stamp
    return marks
  }
}
