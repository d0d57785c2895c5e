// The stub model's types for TypeScript that imports it; the project does not check JavaScript.

export interface Call {
  id: string
  name: string
  input: unknown
}

export interface Message {
  role: 'user' | 'assistant' | 'tool' | 'system'
  text: string
  calls: Call[]
  results: { id: string; text: string; isError: boolean }[]
}

/** See script.mjs. */
export interface Step {
  when?: string
  world?: string
  next?: Step
  think?: string
  say?: string
  call?: { name?: string; shell?: string; input?: Record<string, unknown> }
  fail?: number
  message?: string
  hang?: boolean
  after?: string
}

/** One request, and what it was answered with. */
export interface Entry {
  n: number
  at: string
  world: string
  protocol: string
  path: string
  query: string
  kind: 'turn' | 'extra'
  model: string
  stream: boolean
  messages: Message[]
  tools: string[]
  /** The last thing that a person asked for, in this turn or before its tool calls. */
  prompt: string
  /** The prompts that this turn brought and no turn before it. */
  sent: string[]
  step: { think?: string; say?: string; call?: Call; fail?: number; message?: string; hang?: true } | null
  usage: { input: number; output: number } | null
  closed?: true
}

export interface Log {
  entries: Entry[]
  turns(world?: string): Entry[]
  promptCount(text: string, world?: string): number
  lastHistory(world?: string): Message[]
}

export interface Model {
  readonly url: string
  readonly port: number
  readonly log: Log
  script: Step[]
  close(): Promise<void>
}

export function startModel(options?: {
  port?: number
  logFile?: string
  rawFolder?: string
  script?: Step[]
  seed?: string
}): Promise<Model>
