// The results as text: for the terminal and for docs/performance.md.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem, type } from 'node:os'
import { fileURLToPath } from 'node:url'
import { format } from '../scripts/format.ts'
import { replaceBetween, table } from '../scripts/generate/markdown.ts'
import { quantity } from './format.ts'
import type { Row } from './types.ts'

const root = new URL('..', import.meta.url)
const page = new URL('docs/performance.md', root)

export interface Machine {
  readonly cpu: string
  readonly memory: string
  readonly system: string
  readonly node: string
}

export interface Results {
  readonly date: string
  readonly revision: string
  readonly size: string
  readonly machine: Machine
  readonly load: { readonly before: readonly number[]; readonly after: readonly number[] }
  readonly seconds: number
  readonly rows: readonly Row[]
}

export function describeMachine(): Machine {
  const [cpu] = cpus()
  return {
    cpu: `${cpus().length} x ${cpu?.model.trim() || 'unknown'}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    system: `${type()} ${release()}`,
    node: process.version,
  }
}

export function load(): number[] {
  return loadavg().map((value) => Number(value.toFixed(2)))
}

/** The commit, where it is known. */
export function revision(): string {
  try {
    const git = (...args: string[]): string =>
      execFileSync('git', args, { cwd: fileURLToPath(root), encoding: 'utf8' }).trim()
    return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain', '--', 'src') ? ' with changes' : ''}`
  } catch {
    return 'unknown'
  }
}

function verdict({ goal, value }: Row): string {
  if (goal === undefined) return '-'
  return value <= goal ? 'met' : `missed by ${Math.round((value / goal - 1) * 100)} %`
}

/** Columns for a terminal. */
export function textTable(rows: readonly Row[]): string[] {
  const cells: Cells[] = [['measured', 'goal', 'result', 'what'], ...rows.map(textCells)]
  const widths = [0, 1, 2].map((column) => Math.max(...cells.map((row) => row[column]!.length))) as [
    number,
    number,
    number,
  ]
  return cells.map(([value, goal, met, what]) =>
    [value.padStart(widths[0]), goal.padStart(widths[1]), met.padEnd(widths[2]), what].join('  '),
  )
}

type Cells = readonly [string, string, string, string]

function textCells(row: Row): Cells {
  return [...cellsOf(row), `${row.what}  (${row.detail})`]
}

function cellsOf(row: Row): [string, string, string] {
  const goal =
    row.goal === undefined
      ? '-'
      : `<= ${quantity(row.goal, row.unit)
          .replace(/(\.\d*?)0+ /, '$1 ')
          .replace('. ', ' ')}`
  return [quantity(row.value, row.unit), goal, verdict(row)]
}

export function writeResults(results: Results): void {
  writeFileSync(new URL('bench/results.json', root), format('results.json', JSON.stringify(results)))
  const text = replaceBetween(readFileSync(page, 'utf8'), 'results', markdown(results), 'npm run bench')
  writeFileSync(page, format('performance.md', text))
}

function markdown({ date, revision, size, machine, load, seconds, rows }: Results): string {
  const { cpu, memory, system, node } = machine
  const [before, after] = [load.before, load.after].map((values) => values.join(', '))
  return [
    `Measured on ${date} at ${revision}, ${size} size, in ${Math.round(seconds / 60)} minutes.`,
    `Machine: ${cpu}, ${memory}, ${system}, Node ${node}.`,
    `Load average (1, 5, 15 minutes) before: ${before}; after: ${after}.`,
    '',
    table(
      ['what', 'goal', 'measured', '', 'in detail'],
      rows.map((row) => {
        const [value, goal, met] = cellsOf(row)
        return [row.what, goal, value, met, row.detail]
      }),
    ),
  ].join('\n')
}
