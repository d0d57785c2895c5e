import { readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { stampNumbers } from '../../catalog/stamp.ts'
import { replaceFile } from '../../platform/atomic-file.ts'
import { attempt, IonError, isMissing, messageOf } from '../../platform/error.ts'
import { ionHome } from '../../platform/home.ts'
import type { Io } from '../../platform/io.ts'
import { writeHint } from '../../platform/write-hint.ts'
import { type ChangedPrices, changedModels, convertLiteLlm } from './convert-litellm.ts'
import { overridesPath, readOverrides } from './overrides.ts'
import { type PriceBook, priceBook } from './price-book.ts'
import { mergeTables, type PriceTable, parseTable, tableText } from './price-table.ts'

/** The table that `ion prices update` wrote. */
export function updatedTablePath(io: Io): string {
  return join(ionHome(io), 'prices.txt')
}

/** The table that came with Ion. It is loaded only here: most commands need no prices. */
export async function packagedTable(): Promise<PriceTable> {
  const { packagedPrices } = await import('./packaged.gen.ts')
  return parseTable(packagedPrices)!
}

export interface LoadedPrices {
  readonly book: PriceBook
  /** Whether the newest prices are from `ion prices update`, not from Ion's package. */
  readonly isUpdated: boolean
  /** What could not be read, and was ignored. */
  readonly problems: readonly string[]
}

export async function loadPrices(io: Io): Promise<LoadedPrices> {
  const { table, isUpdated, problem } = await currentTable(io)
  const { rows, badLines } = readOverrides(io)
  const bad = badLines > 0 ? [`${badLines} unreadable ${badLines === 1 ? 'line' : 'lines'} in prices.jsonl`] : []
  return { book: priceBook(table, rows), isUpdated, problems: [...(problem === undefined ? [] : [problem]), ...bad] }
}

/** The same for a process that asks often: prices are read again only if the user's own or the updated table have changed. */
export function pricesReader(io: Io): () => Promise<PriceBook> {
  let before: string | undefined
  let loading: Promise<LoadedPrices> | undefined
  return async () => {
    const stamp = [overridesPath(io), updatedTablePath(io)].map(stampOf).join('\n')
    if (stamp !== before) loading = undefined
    before = stamp
    loading ??= loadPrices(io)
    return (await loading).book
  }
}

function stampOf(path: string): string {
  const stat = attempt(() => statSync(path, { throwIfNoEntry: false }))
  return stat ? stampNumbers(stat) : ''
}

interface CurrentTable {
  readonly table: PriceTable
  readonly isUpdated: boolean
  readonly problem?: string
}

/** The newer of the two tables counts; the other one has the models that it lacks, and the prices of before. */
async function currentTable(io: Io): Promise<CurrentTable> {
  const packaged = await packagedTable()
  const path = updatedTablePath(io)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const problem = isMissing(error) ? {} : { problem: `cannot read ${path}: ${messageOf(error)}` }
    return { table: packaged, isUpdated: false, ...problem }
  }
  const updated = parseTable(text)
  if (!updated) return { table: packaged, isUpdated: false, problem: `${path} is damaged: run ion prices update again` }
  const isUpdated = updated.date >= packaged.date
  const [older, newer] = isUpdated ? [packaged, updated] : [updated, packaged]
  return { table: mergeTables(older, newer, newer.date), isUpdated }
}

export interface PricesUpdate extends ChangedPrices {
  readonly table: PriceTable
}

/**
 * Reads the prices of a newer LiteLLM file and keeps them in Ion's home; a second time on the same day writes nothing. Prices that
 * changed count for usage since `since`, by default today; with it also those that an earlier update has dated later. Throws `usage`
 * if the file is not one.
 */
export async function updatePrices(io: Io, file: string, since?: string): Promise<PricesUpdate> {
  const { rows } = convertLiteLlm(readFileSync(file, 'utf8'), file)
  const { table } = await currentTable(io)
  const date = io.now().toISOString().slice(0, 10)
  const merged = mergeTables(
    table,
    { source: `LiteLLM, ${basename(file)}`, date, rows },
    since ?? date,
    since !== undefined,
  )
  const changes = changedModels(table.rows, merged.rows)
  // Prices that are still the same are younger now.
  if (changes.changed.length + changes.added.length === 0 && table.date >= date) return { table, ...changes }
  const path = updatedTablePath(io)
  try {
    replaceFile(path, tableText(merged))
  } catch (error) {
    throw new IonError('failed', `cannot write ${path}: ${messageOf(error)}`, {
      hint: writeHint(error, path),
      cause: error,
    })
  }
  return { table: merged, ...changes }
}
