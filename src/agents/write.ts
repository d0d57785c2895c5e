import type { ImageBlock, TextBlock } from '../events/event.ts'
import type { Io } from '../platform/io.ts'
import type { Value } from '../platform/sqlite.ts'
import type { FilePart } from './backup.ts'
import type { Refusal } from './start.ts'

/**
 * A conversation as a writer gets it. It can rely on this: the first message is the user's, no text is blank or has half a
 * character, inputs are at most 100 levels deep, every call has its result, ids of calls are unique and of the form that every
 * provider accepts (A-Z a-z 0-9 _ -, up to 64), and an assistant's message holds the calls that the model made at once. Ids and
 * times of messages are the source's, so the same conversation gives the same ones again. Times need not be in order.
 */
export type Message = UserMessage | AssistantMessage

export interface UserMessage {
  readonly role: 'user'
  /** Unique in the conversation, of any form. */
  readonly id: string
  readonly timestamp: string
  /** Images only for a writer with `images`. */
  readonly content: readonly (TextBlock | ImageBlock)[]
  /** Nobody typed it: the summary of what came before, or a brief. Written as the agent's own compaction where it has one. */
  readonly isSummary?: true
}

export interface AssistantMessage {
  readonly role: 'assistant'
  readonly id: string
  readonly timestamp: string
  /** Of the source, which is usually another provider's. */
  readonly model: string | null
  readonly content: readonly (TextBlock | ToolCall)[]
}

export interface ToolCall {
  readonly type: 'call'
  readonly id: string
  /** As the source's agent calls the tool; the target need not have it. */
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  readonly output: string
  readonly isError: boolean
  /** Of the result. */
  readonly timestamp: string
}

/** A session to write. */
export interface NewSession {
  /** A fresh UUID; an agent whose ids have another form derives its own from it. */
  readonly id: string
  /** An absolute real path. */
  readonly cwd: string
  /** Names the agent that the session comes from. */
  readonly title: string
  /** When it is handed over, ISO. The same again when the rest of a grown session follows. */
  readonly at: string
  readonly messages: readonly Message[]
}

/** A session in the form of the agent's store, as its backup.ts describes it. */
export interface WrittenSession {
  readonly nativeId: string
  /** The one that makes the session visible comes last. */
  readonly parts: readonly WrittenPart[]
}

export type WrittenPart =
  | (Pick<FilePart, 'kind' | 'root' | 'path' | 'form' | 'shared'> & { readonly content: string })
  | {
      readonly kind: 'rows'
      readonly root: string
      /** An existing database. */
      readonly path: string
      readonly tables: readonly WrittenTable[]
    }
  | {
      /** A database of the session's own, which is created. */
      readonly kind: 'database'
      readonly root: string
      readonly path: string
      /** Statements. */
      readonly schema: readonly string[]
      /** By table, with a value for each column. */
      readonly rows: Readonly<Record<string, readonly (readonly Value[])[]>>
    }

export interface WrittenTable {
  readonly table: string
  /** What identifies the session's rows. */
  readonly where: Readonly<Record<string, string | number>>
  /** A column that the database numbers; rows leave it out. */
  readonly numbered?: string
  /** Rows that other sessions refer to as well: written only if they are missing. */
  readonly shared?: true
  readonly rows: readonly Readonly<Record<string, Value>>[]
}

export interface WriteTarget {
  readonly cwd: string
  /** Of the installed program; undefined when it is not known. */
  readonly version: string | undefined
  readonly io: Io
}

/**
 * Writes sessions that the agent resumes as if they were its own. Only what the real agent was seen to accept: `npm run prove
 * -- handover`.
 */
export interface SessionWriter {
  /** The versions of the agent that were seen to resume what this writes; of an experimental writer, those it is made for. */
  readonly proven: { readonly oldest: string; readonly newest: string }
  /** How many tokens a handed-over session may have by default: about 60 % of the smallest window of its usual models. */
  readonly budget: number
  /** `text`: the agent's sessions have no tool calls; they become text. */
  readonly calls: 'kept' | 'text'
  /** Whether prompts may have images. */
  readonly images: boolean
  /**
   * Where a store cannot hold every text: what becomes of one, such as its line ends. Texts are so already when they are to be
   * written, and the report counts those that changed.
   */
  storable?(text: string): string
  /**
   * Longer results of tools, in bytes, are stored completely, but the agent itself shortens them for its model: the report says
   * so. Left out where it sends everything.
   */
  readonly sendsUpTo?: number
  /** Not seen to work on the real agent: written only if the user insists. */
  readonly isExperimental?: true
  /**
   * Looks at the agent's settings and store, which it only reads: why nothing can be written there, or the function that
   * writes. That function is pure.
   */
  prepare(target: WriteTarget): Refusal | ((session: NewSession) => WrittenSession)
}
