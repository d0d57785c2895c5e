import { decode, type RowsHeader } from '../../native/rows.ts'
import { messageOf } from '../../platform/error.ts'
import { isCount, isListOf, isText } from '../validate.ts'
import { LineSplitter } from './line-splitter.ts'
import type { Rehearsal } from './rehearsal.ts'

/** A restore holds all rows of a session in memory. */
const MAX_ROWS = 400 * 1024 * 1024
const MAX_LINE = 256 * 1024 * 1024

/** Names of the tables in which agents record the state of their schema; no other table is accepted as one. */
const BOOKKEEPING = /migration|version|schema/i

/**
 * Checks the rows of a session line by line, since a snapshot may come from somebody else: only tables in which the
 * agent's sessions have rows, and only rows of this session. Otherwise it could write into other sessions or other data.
 */
export class RowsCheck {
  readonly #allowed: readonly string[]
  readonly #rehearsal: Rehearsal
  readonly #lines = new LineSplitter(MAX_LINE)
  #size = 0
  #header: RowsHeader | undefined
  #problem: string | undefined

  constructor(allowed: readonly string[], rehearsal: Rehearsal) {
    this.#allowed = allowed
    this.#rehearsal = rehearsal
  }

  add(piece: Buffer): void {
    if (this.#problem !== undefined) return
    try {
      this.#size += piece.length
      if (this.#size > MAX_ROWS) throw new Error('too many rows for one session')
      for (const line of this.#lines.add(piece)) this.#check(JSON.parse(line))
    } catch (error) {
      this.#problem = messageOf(error)
    }
  }

  /** The problem with the rows, if any. */
  finish(): string | undefined {
    if (this.#problem !== undefined) return this.#problem
    return this.#lines.isMidLine || !this.#header ? 'its rows are incomplete' : undefined
  }

  #check(value: unknown): void {
    if (this.#header) this.#rehearsal.insert(...checkedRow(value, this.#header))
    else {
      const header = checkedHeader(value, this.#allowed)
      this.#rehearsal.begin(header)
      this.#header = header
    }
  }
}

function checkedHeader(value: unknown, allowed: readonly string[]): RowsHeader {
  const header = Object(value) as RowsHeader
  if (header.v !== 1) throw new Error('the rows have an unknown format version')
  const isValid =
    isListOf(header.schema, isText) && isListOf(header.tables, isTable) && isListOf(header.bookkeeping, isTable)
  if (!isValid) throw new Error('the rows have no valid header')
  const seen = new Set<string>()
  for (const { table, where, columns } of header.tables) {
    const rows = JSON.stringify([table, where])
    if (seen.has(rows)) throw new Error(`the same rows of "${table}" appear twice`)
    seen.add(rows)
    if (!allowed.includes(table)) throw new Error(`sessions of this agent have no rows in the table "${table}"`)
    const names = Object.keys(Object(where) as object)
    const isBound = names.length > 0 && names.every((name) => columns.includes(name))
    if (!isBound) throw new Error(`rows of "${table}" without a session`)
  }
  const odd = header.bookkeeping.find(({ table }) => !BOOKKEEPING.test(table) || allowed.includes(table))
  if (odd) throw new Error(`the table "${odd.table}" does not belong in a snapshot`)
  return header
}

function isTable(value: unknown): boolean {
  const { table, columns, where, numbered, shared } = Object(value) as Record<string, unknown>
  return (
    isText(table) &&
    isListOf(columns, isText) &&
    (where === undefined || Object.values(Object(where)).every((one) => isText(one) || Number.isFinite(one))) &&
    (numbered === undefined || (columns as unknown[]).includes(numbered)) &&
    (shared === undefined || shared === true)
  )
}

function checkedRow(value: unknown, { tables, bookkeeping }: RowsHeader): [table: number, values: unknown[]] {
  const [index, ...values] = Array.isArray(value) ? (value as unknown[]) : []
  const { table, columns } = (isCount(index) ? [...tables, ...bookkeeping][index] : undefined) ?? {}
  if (columns?.length !== values.length) throw new Error('a row of an unknown table')
  for (const one of values) decode(one)
  for (const [name, wanted] of Object.entries(tables[Number(index)]?.where ?? {})) {
    // SQLite treats a number and its text as equal in a numeric column.
    const isOwn = String(decode(values[columns.indexOf(name)])) === String(wanted)
    if (!isOwn) throw new Error(`a row of "${table}" belongs to another session`)
  }
  return [index as number, values]
}
