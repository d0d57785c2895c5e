import { join } from 'node:path'
import type { Problem } from '../../events/item.ts'
import { cannotRead } from '../../native/problem.ts'
import type { ReadContext } from '../../native/read-context.ts'
import type { Keyed } from '../../native/translate.ts'
import { filesIn, stampOf } from '../../native/walk.ts'
import { readWhole } from '../../native/window.ts'
import { fromFirstFormat, isFirstFormat } from './first-format.ts'
import { type Json, type OpenCodeMessage, parseObject } from './records.ts'
import { type Tree, treeOf } from './stores.ts'

/** Messages and parts by name: their ids ascend. */
export function* treeMessages(sessionFile: string, reading: ReadContext): Generator<Keyed<OpenCodeMessage> | Problem> {
  const tree = treeOf(sessionFile)
  for (const name of filesIn(tree.messages, /^[^.].*\.json$/, reading)) {
    if (typeof name !== 'string') {
      yield name
      continue
    }
    const id = name.slice(0, -'.json'.length)
    const { message, problems } = messageOfFile(tree, id, reading)
    reading.coverage.bad += problems.length
    yield* problems
    if (message) yield { record: message, key: id }
  }
}

interface FileMessage {
  readonly message: OpenCodeMessage | undefined
  readonly problems: readonly Problem[]
}

/** A message with its parts, which are separate files or, in the oldest versions, inside the message. */
export function messageOfFile(
  tree: Tree,
  id: string,
  reading: ReadContext,
  limit = Number.POSITIVE_INFINITY,
): FileMessage {
  const problems: Problem[] = []
  const info = readObject(join(tree.messages, `${id}.json`), reading, limit, problems)
  if (info && isFirstFormat(info)) return { message: fromFirstFormat(info, id), problems }
  const parts = Array.isArray(info?.parts) ? (info.parts as Json[]) : []
  const folder = tree.parts(id)
  for (const name of filesIn(folder, /^[^.].*\.json$/, reading)) {
    if (typeof name !== 'string') problems.push(name)
    else {
      const part = readObject(join(folder, name), reading, limit, problems)
      if (part) parts.push({ ...part, id: name.slice(0, -'.json'.length) })
    }
  }
  return { message: info || parts.length ? { info: { ...info, id }, parts } : undefined, problems }
}

function readObject(path: string, reading: ReadContext, limit: number, problems: Problem[]): Json | undefined {
  if ((stampOf(path)?.size ?? 0) > limit) return undefined
  try {
    const value = parseObject(readWhole(path, reading).toString('utf8'))
    if (!value) problems.push({ code: 'not_json', problem: 'not a JSON object', path })
    return value
  } catch (error) {
    problems.push(cannotRead(path, error))
    return undefined
  }
}
