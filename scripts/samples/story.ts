// The demo's story: a few weeks in a small web shop. Each agent's test/sample.ts has its part of it as steps, and turns
// them into that agent's own files. Nothing in it is real; the key is made up.
import type { SampleHome } from './sample-home.ts'

/** What was said or done. Paths are below the project. */
export type Step =
  | { readonly user: string }
  | { readonly say: string }
  | { readonly think: string }
  | { readonly shell: string; readonly output: string; readonly code?: number }
  | { readonly read: string; readonly output: string }
  | { readonly edit: string; readonly before: string; readonly after: string }

export interface StorySession {
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
export type Action =
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
