// Distinguishes a new prompt from one that is only part of the history. A prompt whose turn was interrupted is unanswered
// in the next request, and some agents join it with the next one into a single message.
import type { Message } from './history.ts'
import type { Entry } from './log.ts'

/** How agents join prompts; also how we do, to compare them. */
const JOINT = '\n\n'

/**
 * A prompt that is followed by an answer is old. Unanswered prompts at the end were sent before if an earlier turn of the
 * same conversation ended with them. Exactly the same ending again is a prompt sent again, unless the agent only retries
 * after an error of the model.
 */
export function latestPrompts(messages: Message[], before: Entry[]): { prompt: string; sent: string[] } {
  const { talk, open } = ending(messages)
  if (!open.length) return { prompt: promptBeforeTools(messages, before), sent: [] }

  const text = open.join(JOINT)
  const tries = before.map(({ messages, step }) => ({ ...ending(messages), refused: step?.fail !== undefined }))
  const known = tries
    .filter((past) => past.open.length && past.talk === talk)
    .map((past) => ({ text: past.open.join(JOINT), refused: past.refused }))
    .filter((past) => text.startsWith(past.text + JOINT) || (text === past.text && past.refused))
    .reduce((longest, past) => (past.text.length > longest.length ? past.text : longest), '')
  const sent = without(open, known)
  return { prompt: sent.at(-1) ?? open.at(-1) ?? '', sent }
}

/** While tools run, the turn that brought the prompt knows which part of the message was new. */
function promptBeforeTools(messages: Message[], before: Entry[]) {
  const asked = messages.findLast((message) => message.role === 'user')?.text ?? ''
  const turn = before.findLast((entry) => entry.messages.findLast(({ role }) => role === 'user')?.text === asked)
  return turn?.prompt ?? asked
}

/** The prompts at the end that nothing was answered to, and the talk before them. */
function ending(messages: Message[]) {
  const said = messages.filter((message) => message.role !== 'system')
  const answered = said.findLastIndex((message) => message.role !== 'user')
  return {
    // Only the text: agents rewrite ids, and repeat results, when they resume a session.
    talk: said
      .slice(0, answered + 1)
      .map((message) => `${message.role}: ${message.text.trim()}`)
      .join('\n'),
    open: said.slice(answered + 1).map((message) => message.text),
  }
}

/** The prompts after those that make up a known beginning. */
function without(prompts: string[], known: string): string[] {
  let rest = known
  const fresh = []
  for (const prompt of prompts) {
    if (!rest) fresh.push(prompt)
    else if (rest.startsWith(prompt)) rest = rest.slice(prompt.length + JOINT.length)
    else {
      fresh.push(prompt.slice(rest.length + JOINT.length))
      rest = ''
    }
  }
  return fresh
}
