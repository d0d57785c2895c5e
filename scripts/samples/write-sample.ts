import { project, token, uuid } from './fields.ts'
import type { SampleHome } from './sample-home.ts'
import type { Action, Sample, SampleSession, Step, StorySession, ToolCall, Turn } from './story.ts'

/** Writes an agent's part of the story. */
export function writeSample(agent: string, { sessions, write }: Sample, home: SampleHome): void {
  const complete = sessions.map((session): SampleSession => {
    const turns = turnsOf(agent, session)
    const end = Math.max(...turns.map((turn) => turn.call?.doneAt ?? turn.at))
    return { ...session, id: uuid(agent, session.title), turns, end }
  })
  write(home, complete)
}

/** The steps as an agent's log has them. Times grow as in a conversation, and tokens with what was said before. */
function turnsOf(agent: string, session: StorySession): Turn[] {
  const turns: Turn[] = []
  let at = Date.parse(session.start)
  let context = 4200
  let open: { at: number; thought?: string; text?: string; call?: ToolCall } | undefined
  const pass = (text: string): void => {
    at += 6000 + text.length * 70
    context += Math.round(text.length / 3)
  }
  const close = (next: string): void => {
    if (!open) return
    const { thought = '', text = '', call } = open
    const output = Math.round((thought + text + (call ? JSON.stringify(call) : '')).length / 3) + 12
    turns.push({ ...open, usage: { input: 60 + Math.round(next.length / 3), cached: context, written: 180, output } })
    open = undefined
  }
  for (const step of session.steps) {
    if ('user' in step) {
      close(step.user)
      // A person reads before answering.
      if (turns.length > 0) at += 85_000
      turns.push({ at, user: step.user })
      pass(step.user)
    } else if ('think' in step || 'say' in step) {
      const text = 'say' in step ? step.say : step.think
      if (open?.text) close(text)
      open ??= { at }
      open['say' in step ? 'text' : 'thought'] = text
      pass(text)
    } else {
      open ??= { at }
      const id = token(16, agent, session.title, turns.length + 1)
      const action = actionOf(step)
      const failed = action.kind === 'shell' && action.code !== 0
      open.call = { ...action, id, doneAt: at + 900, failed }
      pass(action.kind === 'edit' ? action.after : action.output)
      close(action.kind === 'edit' ? '' : action.output)
    }
  }
  close('')
  return turns
}

function actionOf(step: Extract<Step, { shell: string } | { read: string } | { edit: string }>): Action {
  if ('shell' in step) return { kind: 'shell', command: step.shell, output: step.output, code: step.code ?? 0 }
  if ('read' in step) return { kind: 'read', path: `${project}/${step.read}`, output: step.output }
  return { kind: 'edit', path: `${project}/${step.edit}`, before: step.before, after: step.after }
}
