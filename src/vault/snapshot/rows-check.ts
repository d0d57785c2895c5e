import { decode, type RowsHeader } from '../../native/rows.ts'
import { messageOf } from '../../platform/error.ts'
import { LineSplitter } from './line-splitter.ts'

/** All rows of a session are in memory when they are put back. */
const MAX_ROWS = 400 * 1024 * 1024
const MAX_LINE = 256 * 1024 * 1024

/** Tables by which agents know the state of their schema have such names, in all of them; nothing else is taken for one. */
const BOOKKEEPING = /migration|version|schema/i

/**
 * Looks at the rows of a session, line by line, as they may come from somebody else: only tables in which the agent's
 * sessions have rows, and in them only rows of this session. Otherwise a snapshot could write into other sessions, or
 * into what is no session at all.
 */
export class RowsCheck {
  readonly #allowed: readonly string[]
  readonly #lines = new LineSplitter(MAX_LINE)
  #size = 0
  #header: RowsHeader | undefined
  #wrong: string | undefined

  constructor(allowed: readonly string[]) {
    this.#allowed = allowed
  }

  add(piece: Buffer): void {
    if (this.#wrong !== undefined) return
    try {
      this.#size += piece.length
      if (this.#size > MAX_ROWS) throw new Error('more rows than one session can have')
      for (const line of this.#lines.add(piece)) this.#check(JSON.parse(line))
    } catch (error) {
      this.#wrong = messageOf(error)
    }
  }

  /** What is wrong with them; undefined when nothing is. */
  finish(): string | undefined {
    if (this.#wrong !== undefined) return this.#wrong
    return this.#lines.isWithinLine || !this.#header ? 'its rows are not whole' : undefined
  }

  #check(value: unknown): void {
    if (this.#header) checkRow(value, this.#header)
    else this.#header = checkedHeader(value, this.#allowed)
  }
}

function checkedHeader(value: unknown, allowed: readonly string[]): RowsHeader {
  const header = Object(value) as RowsHeader
  if (header.v !== 1) throw new Error('rows of a version that this Ion does not know')
  const isWhole =
    isTexts(header.schema) &&
    Array.isArray(header.tables) &&
    Array.isArray(header.bookkeeping) &&
    [...header.tables, ...header.bookkeeping].every(
      (one) => typeof Object(one).table === 'string' && isTexts(Object(one).columns),
    )
  if (!isWhole) throw new Error('rows without a header')
  for (const { table, where, columns } of header.tables) {
    if (!allowed.includes(table)) throw new Error(`"${table}" is no table that a session of this agent has rows in`)
    const names = Object.keys(Object(where) as object)
    const isBound = names.length > 0 && names.every((name) => columns.includes(name))
    if (!isBound) throw new Error(`rows of "${table}" without a session`)
  }
  const odd = header.bookkeeping.find(({ table }) => !BOOKKEEPING.test(table) || allowed.includes(table))
  if (odd) throw new Error(`"${odd.table}" is no table that a snapshot has`)
  return header
}

function checkRow(value: unknown, { tables, bookkeeping }: RowsHeader): void {
  const [index, ...values] = Array.isArray(value) ? (value as unknown[]) : []
  const { table, columns } = [...tables, ...bookkeeping][Number(index)] ?? {}
  if (columns?.length !== values.length) throw new Error('a row of an unknown table')
  for (const one of values) decode(one)
  for (const [name, wanted] of Object.entries(tables[Number(index)]?.where ?? {})) {
    // SQLite takes a number for the text of it, where the column is of numbers.
    const isOwn = String(decode(values[columns.indexOf(name)])) === String(wanted)
    if (!isOwn) throw new Error(`a row of "${table}" is of another session`)
  }
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}
