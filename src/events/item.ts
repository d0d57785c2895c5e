import type { IonEvent } from './schema.ts'

/** Where an event's record is in its file, so that its text can be shown again without reading the rest. */
export interface Span {
  readonly path: string
  readonly offset: number
  readonly length: number
}

/** The kinds of problems. Code decides by these, never by the text; docs/format.md explains them to users of `--json`. */
export type ProblemCode =
  /** The system or SQLite refused; `errno` has the system's reason. */
  | 'cannot_read'
  /** Another program has locked the database. */
  | 'locked'
  /** The bytes are not what was written: a corrupt database or compressed file. */
  | 'damaged'
  /** A folder, pipe, socket or device where a file should be. */
  | 'not_regular_file'
  | 'too_large'
  | 'too_deep'
  | 'invalid_utf8'
  /** Not JSON, or not a JSON object. */
  | 'not_json'
  /** Readable, but not what the agent is known to write. */
  | 'invalid_record'
  /** A version or database schema that this Ion does not know. */
  | 'unknown_format'
  /** Something that the store refers to does not exist. */
  | 'missing'
  /** The search for sessions stopped at a limit. */
  | 'search_limit'
  /** The agent's server, or the program that talks to it, did not answer as expected. */
  | 'remote_failed'

/** Something that could not be read. It is reported and counted, never fatal and never silent. */
export interface Problem {
  readonly code: ProblemCode
  /** For people. */
  readonly problem: string
  readonly path: string
  readonly line?: number
  readonly offset?: number
  /** The system's error code, such as `EACCES`. */
  readonly errno?: string
  /** What follows is missing now but may be readable later: the store is locked or is changing. */
  readonly retryable?: true
}

/** A failure to read that knows its problem code, thrown where no problem can be yielded. */
export class ReadError extends Error {
  readonly code: ProblemCode

  constructor(code: ProblemCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'ReadError'
    this.code = code
  }
}

export interface EventItem {
  readonly event: IonEvent
  /** Only where the store is a file of lines. */
  readonly span?: Span
}

/** Yielded instead of ending by the reader of a file that still grows (see `Follow`); asked again, it looks for more. */
export const END_OF_AVAILABLE: unique symbol = Symbol('end of available')

/** What reading a session to its end yields. */
export type SessionItem = EventItem | Problem

/** What a reader yields. The marker only reaches those who follow a session. */
export type Item = SessionItem | typeof END_OF_AVAILABLE

/** What a reader of records yields beside records; passed on unchanged. */
export type NonRecord = Problem | typeof END_OF_AVAILABLE

export function isProblem<T>(value: T | Problem): value is Problem {
  return typeof value === 'object' && value !== null && 'problem' in value
}

export function isEvent(item: Item): item is EventItem {
  return typeof item === 'object' && 'event' in item
}

export function isNonRecord<T>(value: T | NonRecord): value is NonRecord {
  return value === END_OF_AVAILABLE || isProblem(value)
}

const TRANSIENT_ERRNOS = new Set(['EACCES', 'EPERM', 'EBUSY', 'EMFILE', 'ENFILE', 'EIO'])

/** It may go away without any file changing: a lock, a permission, too many open files, a failing disk. */
export function isTransient({ errno, retryable }: Problem): boolean {
  return retryable === true || (errno !== undefined && TRANSIENT_ERRNOS.has(errno))
}
