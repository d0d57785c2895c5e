import { attempt } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import type { Freshness, Progress, SessionList } from './catalog.ts'
import { compareStores, isFresh, type StoreCheck, sumOf } from './freshness.ts'
import { freshnessOf } from './full-check.ts'
import { type ListFile, NotRemembered, readListFile, rememberedAnswers } from './list-file.ts'

/** If a question fails with an error for which `isUnanswered`, the list that `instead` opens may have the answer. */
export interface OpenedList extends SessionList {
  readonly freshness: Freshness
  isUnanswered(error: unknown): boolean
  instead(): Promise<OpenedList | undefined>
  close(): void
}

export interface ListOptions {
  /** Ask which sessions are open; without it `live` is null for all of them. */
  readonly live: boolean
  /** Short ids will be asked for, which the list file does not have. */
  readonly shortIds: boolean
  readonly onProgress: (progress: Progress) => void
}

/**
 * The up-to-date index for a list: only the adapters of stores in which something has changed are loaded, and the database only
 * if the list file is not enough. Undefined where there is no index yet, and where anything at all goes wrong: then `openCatalog`
 * repairs it, or says why not.
 */
export async function openList(io: Io, options: ListOptions): Promise<OpenedList | undefined> {
  const file = readListFile(io)
  const checks = file && attempt(() => compareStores(file.facts, io))
  const known = file && checks ? { file, checks } : undefined
  const fromDatabase = async (): Promise<OpenedList | undefined> =>
    (await import('./database-list.ts')).openDatabaseList(io, options, known)
  if (options.live || options.shortIds || !known?.checks.every(isFresh)) return fromDatabase()
  return listOf(known.file, known.checks, io, fromDatabase)
}

function listOf(
  { facts, answers }: ListFile,
  checks: readonly StoreCheck[],
  io: Io,
  instead: OpenedList['instead'],
): OpenedList {
  const counts = sumOf(checks)
  return {
    ...rememberedAnswers(answers),
    freshness: freshnessOf(counts, counts.checked >= counts.known, facts.fullCheckAt, io),
    isUnanswered: (error) => error instanceof NotRemembered,
    instead,
    close: () => {},
  }
}
