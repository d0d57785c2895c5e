import type { IonEvent } from './schema.ts'

/** Where an event's record stands in its file, so that text can be shown again without reading the rest. */
export interface Span {
  readonly path: string
  readonly offset: number
  readonly length: number
}

/** Something that could not be read. It is told and counted, never fatal and never silent. */
export interface Problem {
  readonly problem: string
  readonly path: string
  readonly line?: number
  readonly offset?: number
  /** What comes after it is missing, and may well be readable another time: the store is locked, or changes just now. */
  readonly retryable?: true
}

/** What a reader yields: an event (with its place, where the store is a file of lines), or a problem. */
export type Item = { readonly event: IonEvent; readonly span?: Span } | Problem

export function isProblem(value: object): value is Problem {
  return 'problem' in value
}

/** It may be gone another time though no file changes: a lock, a permission, too many open files, a failing disk. */
export function isTransient({ problem, retryable: again }: Problem): boolean {
  return again === true || /\b(EACCES|EPERM|EBUSY|EMFILE|ENFILE|EIO)\b/.test(problem)
}
