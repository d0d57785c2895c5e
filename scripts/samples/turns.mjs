// The story's steps as an agent's log has them: prompts, and answers of a text, a thought and a tool call each.
import { createHash } from 'node:crypto'

/** A UUID that is the same at each run. */
export function uuid(...names) {
  const hex = createHash('sha256').update(names.join('/')).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** `count` letters and digits for ids of other shapes. */
export function token(count, ...names) {
  return createHash('sha256').update(names.join('/')).digest('hex').slice(0, count)
}

/**
 * `[{ at, user }, { at, thought?, text?, call?, usage }]`: a call has `id`, `doneAt` and `failed`. Times are in
 * milliseconds and grow as a conversation does; tokens grow with what was said before.
 */
export function turnsOf(session) {
  const turns = []
  let at = Date.parse(session.start)
  let context = 4200
  let open
  const pass = (text) => {
    at += 6000 + text.length * 70
    context += Math.round(text.length / 3)
  }
  const answer = () => {
    open ??= turns[turns.push({ at, usage: undefined }) - 1]
    return open
  }
  const close = (text) => {
    const { thought = '', text: said = '', call } = open
    const output = Math.round((thought + said + (call ? JSON.stringify(call) : '')).length / 3) + 12
    open.usage = { input: 60 + Math.round(text.length / 3), cached: context, written: 180, output }
    open = undefined
  }
  for (const step of session.steps) {
    if (step.kind === 'user') {
      if (open) close(step.text)
      // A person reads before answering.
      if (turns.length > 0) at += 85_000
      turns.push({ at, user: step.text })
      pass(step.text)
    } else if (step.kind === 'think' || step.kind === 'say') {
      if (open?.text) close(step.text)
      answer()[step.kind === 'say' ? 'text' : 'thought'] = step.text
      pass(step.text)
    } else {
      const one = answer()
      const id = token(16, session.agent, session.title, turns.length)
      one.call = { ...step, id, doneAt: at + 900, failed: (step.code ?? 0) !== 0 }
      pass(step.output ?? step.after)
      close(step.output ?? '')
    }
  }
  if (open) close('')
  return turns
}

/** What the tool gave back, in words. */
export function resultOf(call) {
  if (call.kind !== 'edit') return call.output
  return call.before === '' ? `Wrote ${call.path}` : `The file ${call.path} has been updated.`
}

export const iso = (time) => new Date(time).toISOString()
export const endOf = (turns) => Math.max(...turns.map((turn) => turn.call?.doneAt ?? turn.at))
