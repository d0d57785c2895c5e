import type { JSX } from 'preact'
import { plain } from '../../platform/plain-text.ts'
import { openedRun, type StepsRow } from '../state/steps.ts'
import { count } from '../text/labels.ts'
import { durationLabel } from '../text/step-outcome.ts'
import { FoldLine } from './fold.tsx'
import { setOpen } from './open-rows.ts'

/** A folded run of calls: how many of each tool, what failed, and how long it all took. */
export function Steps({ row }: { readonly row: StepsRow }): JSX.Element {
  const { key, steps, isGrowing, isOpen } = row
  const calls = steps.flatMap((step) => (step.kind === 'call' ? [step] : []))
  const answers = steps.filter(({ kind }) => kind === 'answer').length
  const failed = calls.filter(({ result }) => result?.is_error).length
  const took = spanOf(calls.flatMap(({ call, result }) => [call.time, result?.time]))
  // What was opened within the run is closed with it: otherwise that would keep it open.
  const toggle = (): void => setOpen(isOpen ? steps.flatMap((step) => [step.key, openedRun(step)]) : [key], !isOpen)
  return (
    <div class={isOpen ? 'fold open' : 'fold'}>
      <FoldLine isOpen={isOpen} onToggle={toggle}>
        <b>{isGrowing ? count(calls.length, 'earlier step', 'earlier steps') : count(calls.length, 'step', 'steps')}</b>
        <span class="what">{toolCounts(calls.map(({ call }) => plain(call.name)))}</span>
        {answers > 0 && <span class="state">{answers} answered</span>}
        {failed > 0 && <span class="state bad">{failed} failed</span>}
        {took !== undefined && <span class="took">{durationLabel(took)}</span>}
      </FoldLine>
    </div>
  )
}

/** `Read 7, Bash 3, Edit`: the most used first. */
function toolCounts(names: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  const sorted = [...counts].sort(([, a], [, b]) => b - a)
  return sorted.map(([name, times]) => (times > 1 ? `${name} ${times}` : name)).join(', ')
}

/** From the first time to the last; undefined if that is not known. */
function spanOf(times: readonly (string | undefined)[]): number | undefined {
  const known = times.map((time) => Date.parse(time ?? '')).filter((time) => !Number.isNaN(time))
  const span = Math.max(...known) - Math.min(...known)
  return span > 0 ? span : undefined
}
