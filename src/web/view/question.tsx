import type { JSX } from 'preact'
import { plain } from '../../platform/plain-text.ts'
import { connection, needsToken, waitingFor } from '../state/agent.ts'
import { overlay } from '../state/page.ts'
import { answer, answering, questionText } from '../state/question.ts'

/** With a longer one, the answers are below each other. */
const LONG_LABEL = 28

/** What the agent asks, with a button for each answer. In the terminal view the screen itself asks. */
export function Question(): JSX.Element | null {
  const question = waitingFor.value
  if (!question || overlay.value === 'terminal' || connection.value.state !== 'open' || needsToken.value) return null
  const { text, details, choices } = question
  const isKnown = choices.length > 0
  return (
    <section class="question" aria-labelledby="question-text">
      <h2 id="question-text">{questionText}</h2>
      {!isKnown && text !== '' && <p class="quiet">{plain(text)}</p>}
      {details.trim() !== '' && (
        <pre class="question-details" tabIndex={0}>
          {plain(details)}
        </pre>
      )}
      <div class={choices.some(({ label }) => label.length > LONG_LABEL) ? 'answers stacked' : 'answers'}>
        {choices.map(({ key, label }, index) => (
          <button
            key={key}
            type="button"
            class="choice"
            disabled={answering.value !== undefined}
            aria-keyshortcuts={index < 9 ? String(index + 1) : undefined}
            onClick={() => answer(key)}
          >
            {index < 9 && <kbd>{index + 1}</kbd>}
            <span>{answering.value === key ? `${plain(label)} …` : plain(label)}</span>
          </button>
        ))}
        <button type="button" class={isKnown ? 'more' : 'plain'} onClick={() => (overlay.value = 'terminal')}>
          Answer in the terminal
        </button>
      </div>
    </section>
  )
}
