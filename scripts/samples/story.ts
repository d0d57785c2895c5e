// The demo's story: a few weeks in a small web shop. Each agent's test/sample.ts has its part of it as steps, and turns
// them into that agent's own files. Nothing in it is real; the key is made up.
import { createHash } from 'node:crypto'
import type { SampleHome } from './sample-home.ts'

/** The folder that all sessions work in. */
export const project = '/home/dev/shop'

/** A tool that ran. */
type Action =
  | { readonly kind: 'shell'; readonly command: string; readonly output: string; readonly code: number }
  | { readonly kind: 'read'; readonly path: string; readonly output: string }
  | { readonly kind: 'edit'; readonly path: string; readonly before: string; readonly after: string }

export type Step =
  | { readonly kind: 'user'; readonly text: string }
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'think'; readonly text: string }
  | Action

export interface StorySession {
  readonly title: string
  /** ISO 8601. */
  readonly start: string
  readonly model: string
  readonly steps: readonly Step[]
}

export interface SampleSession extends StorySession {
  readonly agent: string
}

/** The default export of an agent's test/sample.ts. */
export interface Sample {
  readonly sessions: readonly StorySession[]
  /** Equal sessions give equal bytes. */
  readonly write: (home: SampleHome, sessions: readonly SampleSession[]) => void
}

export const user = (text: string): Step => ({ kind: 'user', text })
export const say = (text: string): Step => ({ kind: 'say', text })
export const think = (text: string): Step => ({ kind: 'think', text })
export const shell = (command: string, output: string, code = 0): Step => ({ kind: 'shell', command, output, code })
export const read = (path: string, output: string): Step => ({ kind: 'read', path: `${project}/${path}`, output })
export const edit = (path: string, before: string, after: string): Step => ({
  kind: 'edit',
  path: `${project}/${path}`,
  before,
  after,
})

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

/** The steps as an agent's log has them. Times grow as in a conversation, and tokens with what was said before. */
export function turnsOf(session: SampleSession): Turn[] {
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
    if (step.kind === 'user') {
      close(step.text)
      // A person reads before answering.
      if (turns.length > 0) at += 85_000
      turns.push({ at, user: step.text })
      pass(step.text)
    } else if (step.kind === 'think' || step.kind === 'say') {
      if (open?.text) close(step.text)
      open ??= { at }
      open[step.kind === 'say' ? 'text' : 'thought'] = step.text
      pass(step.text)
    } else {
      open ??= { at }
      const id = token(16, session.agent, session.title, turns.length + 1)
      const failed = step.kind === 'shell' && step.code !== 0
      open.call = { ...step, id, doneAt: at + 900, failed }
      pass(step.kind === 'edit' ? step.after : step.output)
      close(step.kind === 'edit' ? '' : step.output)
    }
  }
  close('')
  return turns
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
export const endOf = (turns: readonly Turn[]): number => Math.max(...turns.map((turn) => turn.call?.doneAt ?? turn.at))

/** A UUID that is the same at each run. */
export function uuid(...names: readonly (string | number)[]): string {
  const hex = token(32, ...names)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** `count` letters and digits, for ids of other shapes. */
export function token(count: number, ...names: readonly (string | number)[]): string {
  return createHash('sha256').update(names.join('/')).digest('hex').slice(0, count)
}
