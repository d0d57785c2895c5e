// docs/handover.json, and the table in docs/handover.md: what of each agent's sessions reaches the model in each other agent.
import { readFileSync, writeFileSync } from 'node:fs'
import { table } from '../../scripts/generate/markdown.ts'
import { ASPECTS, type Aspect, type Share } from './fidelity.ts'
import type { Measured } from './pair.ts'
import type { SourceForm } from './sources.ts'

/** Percentages; null where the session has nothing of the kind. */
export type SessionResult = Readonly<Record<Aspect, number | null>> & {
  readonly reasons?: readonly string[]
  /** Why it could not be measured, or what else is wrong. */
  readonly failed?: string
}

/** One source in one version of a target. */
export interface Cell {
  readonly source: string
  readonly form: SourceForm
  readonly target: string
  readonly version: string
  readonly date: string
  readonly sessions: Readonly<Record<string, SessionResult>>
}

export interface Matrix {
  readonly isolated: boolean
  /** By source: the hard sessions that it cannot express here, and why. */
  readonly cannot: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly cells: readonly Cell[]
}

const FILE = new URL('../../docs/handover.json', import.meta.url)
const NOTHING: Matrix = { isolated: true, cannot: {}, cells: [] }

export function readMatrix(): Matrix {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8')) as Matrix
  } catch {
    return NOTHING
  }
}

export function writeMatrix(matrix: Matrix): void {
  writeFileSync(FILE, `${JSON.stringify(matrix, null, 2)}\n`)
}

export function resultOf({ fidelity, reasons }: Measured): SessionResult {
  const shares = Object.fromEntries(ASPECTS.map((aspect) => [aspect, percent(fidelity[aspect])])) as Record<
    Aspect,
    number | null
  >
  return { ...shares, ...(reasons.length > 0 ? { reasons } : {}) }
}

export function failedResult(why: string): SessionResult {
  const line = (why.split('\n')[0] ?? '').replace(/\/\S*ion-(handover|proof)-\w+/g, '…').slice(0, 300)
  return { text: null, calls: null, results: null, order: null, ids: null, failed: line }
}

/** Rounded down, so that 100 means all. */
function percent({ held, of }: Share): number | null {
  return of === 0 ? null : Math.floor((1000 * held) / of) / 10
}

/** The newer results of two; of a session that was not run this time the older one. */
export function mergeMatrix(old: Matrix, now: Matrix): Matrix {
  const cells = now.cells.map((cell) => {
    const before = old.cells.find((one) => isSame(one, cell) && one.form === cell.form)
    return { ...cell, sessions: { ...before?.sessions, ...cell.sessions } }
  })
  const kept = old.cells.filter((one) => !cells.some((other) => isSame(one, other)))
  return {
    isolated: now.isolated,
    cannot: { ...old.cannot, ...now.cannot },
    cells: [...cells, ...kept].sort(
      (a, b) =>
        a.source.localeCompare(b.source) ||
        a.target.localeCompare(b.target) ||
        b.version.localeCompare(a.version, 'en', { numeric: true }),
    ),
  }
}

function isSame(one: Cell, other: Cell): boolean {
  return one.source === other.source && one.target === other.target && one.version === other.version
}

/** One line for each session that is not as it was recorded. */
export function compareMatrix(recorded: Matrix, now: Matrix): string[] {
  return now.cells.flatMap((cell) => {
    const before = recorded.cells.find((one) => isSame(one, cell))
    return Object.entries(cell.sessions).flatMap(([name, result]) => {
      const worse = worseThan(before?.sessions[name], result)
      return worse ? [`${cell.source} -> ${cell.target} ${cell.version}, ${name}: ${worse}`] : []
    })
  })
}

/** In what a session arrives worse than recorded; what was never recorded must be complete. */
export function worseThan(recorded: SessionResult | undefined, now: SessionResult): string | undefined {
  if (now.failed !== undefined) return recorded?.failed === undefined ? now.failed : undefined
  const worse = ASPECTS.filter((aspect) => (now[aspect] ?? 100) < (recorded?.[aspect] ?? 100))
  if (worse.length === 0) return undefined
  const shares = worse.map((aspect) => `${aspect} ${now[aspect]} % instead of ${recorded?.[aspect] ?? 100} %`)
  return `${shares.join(', ')} (${now.reasons?.join('; ')})`
}

/** The generated part of docs/handover.md. */
export function matrixText({ cells, cannot, isolated }: Matrix): string {
  if (cells.length === 0) return 'Not run yet: `npm run prove -- handover`.'
  const sources = unique(cells.map(({ source }) => source))
  const targets = unique(cells.map(columnOf))
  const rows = sources.map((source) => [
    source,
    ...targets.map((target) => cellText(cells.find((one) => one.source === source && columnOf(one) === target))),
  ])
  return [
    `Percent of the source's events that the model received word for word, with the first prompt after the handover: \`100\` is everything (text, calls, results, order and ids), otherwise what is below.${isolated ? '' : ' The agents were NOT cut off from the network.'}`,
    table(['from \\ to', ...targets], rows),
    '### Below 100 %',
    belowText(cells),
    '### Which session is which source able to express',
    coverage(cells, cannot),
  ].join('\n\n')
}

function columnOf({ target, version }: Cell): string {
  return `${target} ${version.length > 12 ? `${version.slice(0, 9)}…` : version}`
}

function cellText(cell: Cell | undefined): string {
  if (!cell) return '-'
  const below = Object.entries(cell.sessions).flatMap(([name, result]) => {
    const shares = result.failed === undefined ? sharesBelow(result) : '**failed**'
    return shares === '' ? [] : [`${name}: ${shares}`]
  })
  if (below.length === 0) return '100'
  const isAll = below.length === Object.keys(cell.sessions).length
  return `${isAll ? '' : '100 except '}${below.join('; ')}`
}

function sharesBelow(result: SessionResult): string {
  return ASPECTS.flatMap((aspect) => ((result[aspect] ?? 100) < 100 ? [`${aspect} ${result[aspect]}`] : [])).join(', ')
}

/** Equal reasons of several sources are one line. */
function belowText(cells: readonly Cell[]): string {
  const lines = new Map<string, string[]>()
  for (const cell of cells) {
    for (const [name, { failed, reasons = [] }] of Object.entries(cell.sessions)) {
      const all = failed === undefined ? reasons : [`failed: ${failed}`]
      if (all.length === 0) continue
      const key = `to ${columnOf(cell)}, ${name}: ${all.join('; ')}`
      lines.set(key, [...(lines.get(key) ?? []), cell.source])
    }
  }
  return [...lines].map(([line, from]) => `- from ${from.join(', ')} ${line}`).join('\n') || 'Nothing.'
}

const FORMS: Readonly<Record<SourceForm, string>> = {
  native: "the agent's own records",
  writer: 'by its writer',
  sample: 'its session of the demo',
}

function coverage(cells: readonly Cell[], cannot: Matrix['cannot']): string {
  const names = unique(cells.flatMap(({ sessions }) => Object.keys(sessions)))
  const rows = unique(cells.map(({ source }) => source)).map((source) => {
    const own = cells.filter((cell) => cell.source === source)
    const has = (name: string): boolean => own.some(({ sessions }) => name in sessions)
    return [source, FORMS[own[0]!.form], ...names.map((name) => (has(name) ? 'yes' : '-'))]
  })
  const reasons = new Map<string, string[]>()
  for (const [source, missing] of Object.entries(cannot)) {
    for (const [name, why] of Object.entries(missing))
      reasons.set(why, [...(reasons.get(why) ?? []), `${source} (${name})`])
  }
  const lines = [...reasons].map(([why, which]) => `- ${why}: ${which.join(', ')}`)
  return [table(['source', 'written', ...names], rows), lines.join('\n')].filter(Boolean).join('\n\n')
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)]
}
