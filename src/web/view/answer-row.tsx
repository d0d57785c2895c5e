import type { JSX } from 'preact'
import { answeredHow } from '../../export/answered-how.ts'
import { plain } from '../../platform/plain-text.ts'
import type { Row } from '../state/rows.ts'
import { shortTime } from '../text/labels.ts'
import { Fold } from './fold.tsx'

/** What the agent was answered, what it had asked, and who answered; it opens to what the question was about. */
export function AnswerRow({ row }: { readonly row: Extract<Row, { kind: 'answer' }> }): JSX.Element {
  const { question, details, choice, by, time } = row.answer
  const how = `answered ${plain(answeredHow(by))}, ${shortTime(time, new Date())}`
  const line = (
    <>
      <b>{plain(choice)}</b>
      <span class="what">asked: {plain(question)}</span>
      <span class="by">{how}</span>
    </>
  )
  return (
    <Fold id={row.key} line={line}>
      {() => (
        <>
          <p class="label">{plain(question)}</p>
          {details.trim() !== '' && (
            <pre class="question-details" tabIndex={0}>
              {plain(details)}
            </pre>
          )}
          <p class="label">
            {plain(choice)} · {how}
          </p>
        </>
      )}
    </Fold>
  )
}
