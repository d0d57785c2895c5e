import { computed, effect, signal } from '@preact/signals'
import { plain } from '../../platform/plain-text.ts'
import { Refused } from '../api/refused.ts'
import { answerQuestion } from '../api/server.ts'
import { agentName, checkToken, connection, refreshStatus, waitingFor } from './agent.ts'
import { announce, notifyError } from './page.ts'

/** The question in one line, as it is shown and announced. */
export const questionText = computed((): string => {
  const question = waitingFor.value
  if (!question) return ''
  if (question.choices.length === 0) return `${agentName.value} shows something Ion does not know`
  return `${agentName.value} asks: ${plain(question.text)}`
})

/** The key of the choice that is on its way to the agent. */
export const answering = signal<string | undefined>(undefined)

// Also when the page is opened, or connected again, while the agent asks.
let announced = ''
effect(() => {
  const question = connection.value.state === 'open' ? waitingFor.value : undefined
  const key = question ? `${question.id} ${question.text}` : ''
  if (key === announced) return
  announced = key
  if (!question) return
  const choices = question.choices.map(({ label }, index) => `${index + 1}: ${plain(label)}`)
  announce([questionText.value, plain(question.details), ...choices].filter(Boolean).join('\n'))
})

export async function answer(choice: string): Promise<void> {
  const question = waitingFor.value
  if (!question || answering.value !== undefined) return
  answering.value = choice
  try {
    await answerQuestion(question.id, choice)
  } catch (error) {
    checkToken(error)
    const isGone = error instanceof Refused && error.status === 409
    notifyError(isGone ? 'Not answered: the question is no longer asked.' : `Not answered: ${(error as Error).message}`)
  } finally {
    await refreshStatus()
    answering.value = undefined
  }
}
