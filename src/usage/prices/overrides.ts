import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { appendLines, privateFolder } from '../../platform/atomic-file.ts'
import { IonError, isMissing, messageOf } from '../../platform/error.ts'
import { ionHome } from '../../platform/home.ts'
import type { Io } from '../../platform/io.ts'
import { type OperationLines, parseOperationLines } from '../../platform/operation-lines.ts'
import { writeHint } from '../../platform/write-hint.ts'
import { kinds, type PriceRow, type Rates, sameBands } from './price-row.ts'

/** Prices that the user set: one operation per line, only ever appended to. */
export function overridesPath(io: Io): string {
  return join(ionHome(io), 'prices.jsonl')
}

/** A line of the file. Rates are micro-dollars per million tokens. */
type Operation =
  | {
      readonly at: string
      readonly op: 'set'
      readonly model: string
      readonly from: string | null
      readonly rates: Rates
    }
  | { readonly at: string; readonly op: 'unset'; readonly model: string }

export interface OverridesFile {
  readonly rows: readonly PriceRow[]
  readonly badLines: number
}

/** Throws `failed` if the file exists and cannot be read: without it, prices would be wrong. */
export function readOverrides(io: Io): OverridesFile {
  const { operations, badLines } = readOperations(io)
  return { rows: rowsOf(operations), badLines }
}

function readOperations(io: Io): OperationLines<Operation> {
  const path = overridesPath(io)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (isMissing(error)) return { operations: [], badLines: 0 }
    throw new IonError('failed', `cannot read ${path}: ${messageOf(error)}`, {
      hint: `check the permissions of ${path}`,
      cause: error,
    })
  }
  return parseOperationLines(text, parseOperation)
}

function parseOperation(line: string): Operation | undefined {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return undefined
  }
  const { at, op, model, from, rates } = Object(value) as Record<string, unknown>
  if (!isTime(at) || typeof model !== 'string' || !/^\S+$/.test(model)) return undefined
  if (op === 'unset') return { at, op, model }
  if (op !== 'set' || (from !== null && !isTime(from)) || !isRates(rates)) return undefined
  return { at, op, model, from, rates }
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value))
}

function isRates(value: unknown): value is Rates {
  const rates = Object(value) as Record<string, unknown>
  const isRate = (rate: unknown): boolean => Number.isSafeInteger(rate) && (rate as number) >= 0
  return kinds.every((kind) => rates[kind] === undefined || isRate(rates[kind])) && isRate(rates.input)
}

/** Of the lines about one model the latest count, in whatever order they are: two files can be joined. */
function rowsOf(operations: readonly Operation[]): PriceRow[] {
  const models = new Map<string, Map<string, PriceRow>>()
  const inOrder = [...operations].sort((a, b) => order(a, b))
  for (const operation of inOrder) {
    const { model } = operation
    if (operation.op === 'unset') {
      models.delete(model)
      continue
    }
    const rows = models.get(model) ?? new Map<string, PriceRow>()
    const { from, rates } = operation
    const bands = [{ tier: 'standard', above: 0, rates }] as const
    rows.set(from ?? '', { model, ...(from === null ? {} : { from }), bands })
    models.set(model, rows)
  }
  return [...models.values()].flatMap((rows) => [...rows.values()])
}

function order(a: Operation, b: Operation): number {
  const [one, other] = [`${a.at} ${JSON.stringify(a)}`, `${b.at} ${JSON.stringify(b)}`]
  return one < other ? -1 : one > other ? 1 : 0
}

/** Returns false if the price is already so. `from` null: for usage of any time. */
export function setPrice(io: Io, model: string, rates: Rates, from: string | null): boolean {
  const name = checkedModel(model)
  const { operations } = readOperations(io)
  const bands = [{ tier: 'standard', above: 0, rates }] as const
  const known = rowsOf(operations).find((row) => row.model === name && (row.from ?? null) === from)
  if (known && sameBands(known.bands, bands)) return false
  append(io, { at: nextTime(io.now(), operations, name), op: 'set', model: name, from, rates })
  return true
}

/** Removes all prices that were set for a model; false if there was none. */
export function unsetPrice(io: Io, model: string): boolean {
  const name = checkedModel(model)
  const { operations } = readOperations(io)
  if (!rowsOf(operations).some((row) => row.model === name)) return false
  append(io, { at: nextTime(io.now(), operations, name), op: 'unset', model: name })
  return true
}

const MAX_NAME = 200

function checkedModel(text: string): string {
  const model = text.trim().toLowerCase()
  if (/^[!-~]+$/.test(model) && model.length <= MAX_NAME) return model
  throw new IonError('usage', `"${text}" is not the name of a model`, {
    hint: 'write it as the agent does, without spaces: ion prices set gpt-5.5 --input 5 --output 30',
  })
}

/** After all that is known of the model, even if the clock was set back or both happen within a millisecond. */
function nextTime(now: Date, operations: readonly Operation[], model: string): string {
  const times = operations.filter((one) => one.model === model).map(({ at }) => Date.parse(at) + 1)
  return new Date(Math.max(now.getTime(), ...times)).toISOString()
}

function append(io: Io, operation: Operation): void {
  const path = overridesPath(io)
  try {
    privateFolder(dirname(path))
    appendLines(path, [JSON.stringify(operation)])
  } catch (error) {
    throw new IonError('failed', `cannot write ${path}: ${messageOf(error)}`, {
      hint: writeHint(error, path),
      cause: error,
    })
  }
}
