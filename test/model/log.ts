// Every request that the model received, in memory and in a file, and what scenarios ask about them.

import { appendFileSync } from 'node:fs'
import type { Message } from './history.ts'
import { latestPrompts } from './prompts.ts'
import type { Rejection } from './rules.ts'
import type { Answer } from './script.ts'

export interface Entry {
  n: number
  at: string
  world: string
  protocol: string
  path: string
  query: string
  /** `extra`: a title, a summary, a list of models; not the conversation. */
  kind: 'turn' | 'extra'
  model: string
  stream: boolean
  messages: Message[]
  tools: string[]
  /** The user's last prompt, in this turn or before its tool calls. */
  prompt: string
  /** The prompts that are new in this turn. */
  sent: string[]
  /** The answer. */
  step: Answer | null
  /** The tokens that were reported. */
  usage: { input: number; output: number } | null
  /** The rule of the provider that the request breaks, and for which it was answered with an error. */
  rejected?: Rejection
  /** The agent hung up before the answer was complete. */
  closed?: true
}

export interface Log {
  readonly entries: Entry[]
  /** The requests of the conversation, of one world or of all. */
  turns(world?: string): Entry[]
  /** The requests that a real provider would have refused, of all worlds. */
  rejections(): Entry[]
  add(entry: Entry): void
  markClosed(entry: Entry): void
  /** What a turn asks for, compared with the turns before it. */
  latestPrompts(messages: Message[], world: string): { prompt: string; sent: string[] }
  /** How often a prompt with this text was sent to the model as a new one. */
  promptCount(text: string, world?: string): number
  /** The history that was sent with the last turn. */
  lastHistory(world?: string): Message[]
}

/** Each entry is appended to `file` as a line, and `{n, closed}` when an agent hung up. */
export function createLog(file?: string): Log {
  const entries: Entry[] = []
  const write = (line: object): void => {
    if (file) appendFileSync(file, `${JSON.stringify(line)}\n`)
  }

  const turns = (world?: string) =>
    entries.filter((entry) => entry.kind === 'turn' && (world ?? entry.world) === entry.world)

  return {
    entries,
    turns,

    rejections: () => entries.filter((entry) => entry.rejected),

    add(entry: Entry) {
      entries.push(entry)
      write(entry)
    },

    markClosed(entry: Entry) {
      entry.closed = true
      write({ n: entry.n, closed: true })
    },

    latestPrompts: (messages: Message[], world: string) => latestPrompts(messages, turns(world)),

    promptCount(text: string, world?: string) {
      return turns(world)
        .flatMap((turn) => turn.sent)
        .filter((prompt) => prompt.includes(text)).length
    },

    lastHistory(world?: string): Message[] {
      return turns(world).at(-1)?.messages ?? []
    },
  }
}
