import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { plain } from '../../platform/plain-text.ts'
import type { ToolResult } from '../api/contract.ts'
import { notifyError } from '../state/page.ts'
import type { Row } from '../state/rows.ts'
import { viewOf } from '../text/call-view.ts'
import { count } from '../text/labels.ts'
import { durationLabel, durationOf, resultSummary, secondsLabel } from '../text/step-outcome.ts'
import { CopyButton } from './copy-button.tsx'
import { countChanges, DiffBlock } from './diff-block.tsx'
import { Fold } from './fold.tsx'
import { grow } from './open-rows.ts'
import { Code } from './prose.tsx'
import type { Surroundings } from './surroundings.ts'
import { useClock } from './use-clock.ts'

interface RowProps<Kind extends Row['kind']> {
  readonly row: Extract<Row, { kind: Kind }>
  readonly around: Surroundings
}

export function CallRow({ row, around }: RowProps<'call'>): JSX.Element {
  const { call, result } = row
  const { summary, blocks } = viewOf(call, around.project)
  const diffs = blocks.filter(({ language }) => language === 'diff').map(({ text }) => countChanges(text))
  const added = diffs.reduce((sum, diff) => sum + diff.added, 0)
  const removed = diffs.reduce((sum, diff) => sum + diff.removed, 0)
  const line = (
    <>
      <b>{plain(call.name)}</b>
      <code class="what">{summary}</code>
      {diffs.length > 0 && (
        <span class="changes">
          {added > 0 && <span class="ins">+{added}</span>} {removed > 0 && <span class="del">−{removed}</span>}
        </span>
      )}
      <Outcome row={row} around={around} hasDiff={diffs.length > 0} />
    </>
  )
  return (
    <Fold id={row.key} line={line}>
      {() => (
        <>
          {blocks.map(({ language, text, title }, index) => (
            <div key={index}>
              {title && <h3 class="label">{title}</h3>}
              {language === 'diff' ? <DiffBlock text={text} /> : <Code text={text} language={language} />}
            </div>
          ))}
          {result ? <Result result={result} row={row} around={around} /> : <p class="label">No result yet</p>}
        </>
      )}
    </Fold>
  )
}

/** How the call ended, and how long it took. */
function Outcome({ row, around, hasDiff }: RowProps<'call'> & { readonly hasDiff: boolean }): JSX.Element {
  const { call, result, message } = row
  const isRunning = !result && !message.done && around.isWorking
  const took = durationOf(call, result)
  // The diff says more than "updated".
  const said = result && !(hasDiff && !result.is_error) ? resultSummary(result, around.project) : ''
  return (
    <>
      {said !== '' && <span class={result?.is_error ? 'said bad' : 'said'}>{said}</span>}
      {result?.is_error && <span class="state bad">failed</span>}
      {!result && <span class="state">{isRunning ? 'running' : around.isAsking ? 'waiting' : 'no result'}</span>}
      {isRunning && call.time && <Elapsed since={Date.parse(call.time)} around={around} />}
      {took !== undefined && <span class="took">{durationLabel(took)}</span>}
    </>
  )
}

function Elapsed({ since, around }: { readonly since: number; readonly around: Surroundings }): JSX.Element | null {
  const seconds = Math.floor((around.transcriptTime(useClock()) - since) / 1000)
  return seconds >= 1 ? <span class="took">{secondsLabel(seconds)}</span> : null
}

/** A result without its call. */
export function ResultRow({ row, around }: RowProps<'result'>): JSX.Element {
  const { result } = row
  return (
    <Fold id={row.key} line={<i>Result of an earlier call{result.is_error ? ' (failed)' : ''}</i>}>
      {() => <Result result={result} row={row} around={around} />}
    </Fold>
  )
}

/** What is shown at first: lines, and characters in case of an endless line. */
const FIRST_LINES = 400
const MAX_CHARACTERS = 100_000

function Result({
  result,
  row,
  around,
}: {
  readonly result: ToolResult
  readonly row: Row
  readonly around: Surroundings
}): JSX.Element {
  const [isExpanded, setExpanded] = useState(false)
  const full = around.fullResult(result.tool_use_id)
  const text = plain(full ?? result.content)
  const lines = text.split('\n')
  const left = isExpanded ? 0 : Math.max(0, lines.length - FIRST_LINES)
  const shown = left > 0 ? lines.slice(0, FIRST_LINES).join('\n') : text
  const showMore = (): void => {
    grow()
    setExpanded(true)
  }
  const load = (): Promise<void> =>
    around
      .loadFullResult(row)
      .then(grow, (error: Error) => notifyError(`Could not load the complete result: ${error.message}`))
  const loaded = async (): Promise<string> => {
    await around.loadFullResult(row)
    return around.fullResult(result.tool_use_id) ?? result.content
  }
  return (
    <div class="code result">
      <div class="code-head">
        <span class={result.is_error ? 'bad' : undefined}>{result.is_error ? 'error' : 'result'}</span>
        <CopyButton text={text} load={result.truncated && full === undefined ? loaded : undefined} />
      </div>
      <pre tabIndex={0} class="text">
        {text.trim() === '' ? <i>(empty)</i> : shown.slice(0, MAX_CHARACTERS)}
        {shown.length > MAX_CHARACTERS && <i> … (Copy copies everything)</i>}
      </pre>
      {left > 0 && (
        <button type="button" class="more" onClick={showMore}>
          Show {count(left, 'more line', 'more lines')}
        </button>
      )}
      {result.truncated && full === undefined && (
        <button type="button" class="more" onClick={load}>
          Truncated. Show everything
        </button>
      )}
    </div>
  )
}
