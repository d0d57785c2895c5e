// The demo's story: a few weeks in a small web shop. Each agent's test/sample.ts has its part of it as steps, and turns
// them into that agent's own files. Nothing in it is real; the key is made up.
import { createHash } from 'node:crypto'
import type { SampleHome } from './sample-home.ts'

/** The folder that all sessions work in. */
export const project = '/home/dev/shop'

/** What was said or done. Paths are below the project. */
export type Step =
  | { readonly user: string }
  | { readonly say: string }
  | { readonly think: string }
  | { readonly shell: string; readonly output: string; readonly code?: number }
  | { readonly read: string; readonly output: string }
  | { readonly edit: string; readonly before: string; readonly after: string }

interface StorySession {
  readonly title: string
  /** ISO 8601. */
  readonly start: string
  readonly model: string
  readonly steps: readonly Step[]
}

/** A session as its agent's writer gets it. */
export interface SampleSession extends StorySession {
  /** A UUID, for agents whose ids are UUIDs. */
  readonly id: string
  readonly turns: readonly Turn[]
  /** When the last turn ended, in milliseconds. */
  readonly end: number
}

/** The default export of an agent's test/sample.ts. */
export interface Sample {
  readonly sessions: readonly StorySession[]
  /** Equal sessions give equal bytes. */
  readonly write: (home: SampleHome, sessions: readonly SampleSession[]) => void
}

/** A tool that ran. */
type Action =
  | { readonly kind: 'shell'; readonly command: string; readonly output: string; readonly code: number }
  | { readonly kind: 'read'; readonly path: string; readonly output: string }
  | { readonly kind: 'edit'; readonly path: string; readonly before: string; readonly after: string }

export type ToolCall = Action & {
  readonly id: string
  readonly doneAt: number
  readonly failed: boolean
}

export interface Usage {
  readonly input: number
  readonly cached: number
  readonly written: number
  readonly output: number
}

/** What the model answered in one request: thought, text and at most one tool call. */
export interface Answer {
  readonly at: number
  readonly user?: undefined
  readonly thought?: string
  readonly text?: string
  readonly call?: ToolCall
  readonly usage: Usage
}

/** A prompt, or an answer to it. Times are in milliseconds. */
export type Turn = { readonly at: number; readonly user: string; readonly call?: undefined } | Answer

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

/** The command or the file. */
export function subjectOf(call: ToolCall): string {
  return call.kind === 'shell' ? call.command : call.path
}

/** What the tool printed. */
export function resultOf(call: ToolCall): string {
  if (call.kind !== 'edit') return call.output
  return call.before === '' ? `Wrote ${call.path}` : `The file ${call.path} has been updated.`
}

export const iso = (time: number): string => new Date(time).toISOString()

/** A UUID that is the same at each run. */
export function uuid(...names: readonly (string | number)[]): string {
  const hex = token(32, ...names)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** `count` letters and digits, for ids of other shapes. */
export function token(count: number, ...names: readonly (string | number)[]): string {
  return createHash('sha256').update(names.join('/')).digest('hex').slice(0, count)
}
