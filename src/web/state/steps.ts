import type { Row } from './rows.ts'

/** A run of calls, with the thinking and the answers between them, folded to one line. */
export interface StepsRow {
  readonly kind: 'steps'
  readonly key: string
  readonly message: Row['message']
  /** What is folded. */
  readonly steps: readonly Row[]
  /** The agent is still at it: the last steps are shown below. */
  readonly isGrowing: boolean
  readonly isOpen: boolean
}

export type ListRow = Row | StepsRow

/** Fewer calls in a row are shown as they are. */
const MIN_CALLS = 5
/** Of a run that still grows the last rows stay visible. */
const SHOWN_LAST = 3

/** The rows of the list: each run of calls is one row until it is opened, or a row within it is. */
export function foldSteps(rows: readonly Row[], isOpen: (key: string) => boolean): readonly ListRow[] {
  const list: ListRow[] = []
  let run: Row[] = []
  const endRun = (isGrowing: boolean): void => {
    list.push(...foldedRun(run, isGrowing, isOpen))
    run = []
  }
  for (const row of rows) {
    if (run.length > 0 && (!isStep(row) || row.message.id !== run[0]!.message.id)) endRun(false)
    if (isStep(row)) run.push(row)
    else list.push(row)
  }
  if (run.length > 0) endRun(!run[0]!.message.done)
  return list
}

function foldedRun(run: readonly Row[], isGrowing: boolean, isOpen: (key: string) => boolean): readonly ListRow[] {
  const steps = isGrowing ? run.slice(0, -SHOWN_LAST) : run
  if (steps.filter(({ kind }) => kind === 'call').length < (isGrowing ? 2 : MIN_CALLS)) return run
  const [first] = steps
  const key = openedRun(first!)
  // Any of them: a run that was opened stays so when its earlier steps are loaded.
  const isShown = steps.some((step) => isOpen(step.key) || isOpen(openedRun(step)))
  const row: StepsRow = { kind: 'steps', key, message: first!.message, steps, isGrowing, isOpen: isShown }
  return [row, ...(isShown ? steps : []), ...run.slice(steps.length)]
}

/** What is marked as open when the run that begins with this step is. */
export function openedRun({ key }: Row): string {
  return `${key}.steps`
}

function isStep({ kind }: Row): boolean {
  return kind === 'call' || kind === 'result' || kind === 'thinking' || kind === 'answer'
}
