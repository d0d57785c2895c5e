import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { plain } from '../../platform/plain-text.ts'
import type { ToolResult } from '../api/contract.ts'
import { fullResults, loadFullResults } from '../state/conversation.ts'
import { notifyError } from '../state/page.ts'
import type { Row } from '../state/rows.ts'
import { viewOf } from '../text/call-view.ts'
import { count } from '../text/labels.ts'
import { CopyButton } from './copy-button.tsx'
import { countChanges, DiffBlock } from './diff-block.tsx'
import { Fold } from './fold.tsx'
import { grow } from './open-rows.ts'
import { Code } from './prose.tsx'

export function CallRow({ row }: { readonly row: Extract<Row, { kind: 'call' }> }): JSX.Element {
  const { call, result, message } = row
  const { summary, blocks } = viewOf(call)
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
      <CallState result={result} isDone={message.done} />
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
          {result ? <Result result={result} messageId={message.id} /> : <p class="label">No result yet</p>}
        </>
      )}
    </Fold>
  )
}

/** The outcome, unless it simply succeeded. */
function CallState(props: { readonly result: ToolResult | undefined; readonly isDone: boolean }): JSX.Element | null {
  if (props.result?.is_error) return <span class="state bad">failed</span>
  if (props.result) return null
  return <span class="state">{props.isDone ? 'no result' : 'running'}</span>
}

/** A result without its call. */
export function ResultRow({ row }: { readonly row: Extract<Row, { kind: 'result' }> }): JSX.Element {
  const { result, message } = row
  return (
    <Fold id={row.key} line={<i>Result of an earlier call{result.is_error ? ' (failed)' : ''}</i>}>
      {() => <Result result={result} messageId={message.id} />}
    </Fold>
  )
}

/** What is shown at first: lines, and characters in case of an endless line. */
const FIRST_LINES = 400
const MAX_CHARACTERS = 100_000

function Result({ result, messageId }: { readonly result: ToolResult; readonly messageId: number }): JSX.Element {
  const [isExpanded, setExpanded] = useState(false)
  const full = fullResults.value.get(result.tool_use_id)
  const text = plain(full ?? result.content)
  const lines = text.split('\n')
  const left = isExpanded ? 0 : Math.max(0, lines.length - FIRST_LINES)
  const shown = left > 0 ? lines.slice(0, FIRST_LINES).join('\n') : text
  const showMore = (): void => {
    grow()
    setExpanded(true)
  }
  const load = (): Promise<void> =>
    loadFullResults(messageId).then(grow, (error: Error) =>
      notifyError(`Could not load the complete result: ${error.message}`),
    )
  return (
    <div class="code result">
      <div class="code-head">
        <span class={result.is_error ? 'bad' : undefined}>{result.is_error ? 'error' : 'result'}</span>
        <CopyButton text={text} />
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
