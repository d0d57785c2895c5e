import type { JSX } from 'preact'
import { plain } from '../../platform/plain-text.ts'
import type { Row } from '../state/rows.ts'
import type { ListRow } from '../state/steps.ts'
import { shortTime } from '../text/labels.ts'
import { AnswerRow } from './answer-row.tsx'
import { CallRow, ResultRow } from './call-row.tsx'
import { CopyButton } from './copy-button.tsx'
import { Fold } from './fold.tsx'
import { isOpen, setOpen } from './open-rows.ts'
import { Prose } from './prose.tsx'
import { Steps } from './steps.tsx'
import type { Surroundings } from './surroundings.ts'

/** A row of a conversation, in the chat and in the transcript of any session. */
export function RowView({ row, around }: { readonly row: ListRow; readonly around: Surroundings }): JSX.Element {
  switch (row.kind) {
    case 'steps':
      return <Steps row={row} />
    case 'prompt':
      return <Prompt row={row} />
    case 'text':
      return (
        <article class={isBeingWritten(row) ? 'answer writing' : 'answer'} aria-label={around.agentName}>
          <Prose text={row.text} breaks={row.isPreview === true} />
          {!row.isPreview && (
            <div class="answer-tools">
              <CopyButton text={row.text} />
            </div>
          )}
        </article>
      )
    case 'thinking':
      return (
        <Fold id={row.key} line={<Line label="Thinking" text={row.text} />}>
          {() => <Prose text={row.text} />}
        </Fold>
      )
    case 'call':
      return <CallRow row={row} around={around} />
    case 'result':
      return <ResultRow row={row} around={around} />
    case 'note':
      return <Note row={row} />
    case 'answer':
      return <AnswerRow row={row} />
  }
}

/** The end of the conversation, and the agent has more to say. */
function isBeingWritten({ message, text, isPreview }: Extract<Row, { kind: 'text' }>): boolean {
  if (isPreview) return true
  const last = message.parts.at(-1)
  return !message.done && last?.type === 'text' && last.text === text
}

/** Longer prompts are folded: pasted text should not hide the answer. */
const LONG_PROMPT = 2_400

function Prompt({ row }: { readonly row: Extract<Row, { kind: 'prompt' }> }): JSX.Element {
  const isLong = row.text.length > LONG_PROMPT || row.text.split('\n').length > 30
  const open = !isLong || isOpen(row.key)
  return (
    <article class="prompt" aria-label="You">
      <h2>
        <span>You</span>
        <span class="quiet">{row.pending ? 'sending…' : shortTime(row.message.time, new Date())}</span>
        <CopyButton text={row.text} />
      </h2>
      <div class={open ? undefined : 'clipped'}>
        <Prose text={row.text} breaks />
      </div>
      {isLong && (
        <button type="button" class="more" aria-expanded={open} onClick={() => setOpen([row.key], !open)}>
          {open ? 'Show less' : 'Show all'}
        </button>
      )}
    </article>
  )
}

function Note({ row }: { readonly row: Extract<Row, { kind: 'note' }> }): JSX.Element {
  const label = plain(row.subtype).replaceAll('_', ' ')
  if (row.text.length <= 100 && !row.text.includes('\n')) return <p class="note">{plain(row.text) || label}</p>
  return (
    <Fold id={row.key} line={<Line label={label} text={row.text} />}>
      {() => <Prose text={row.text} />}
    </Fold>
  )
}

function Line({ label, text }: { readonly label: string; readonly text: string }): JSX.Element {
  return (
    <>
      <i>{label}</i>
      <span class="what">{plain(text.slice(0, 200)).replace(/[\s*_`#>]+/g, ' ')}</span>
    </>
  )
}
