import type { CallInProcess } from './call-in-process.ts'
import type { Corpora } from './corpora.ts'

/** One line of the result table. */
export interface Row {
  readonly id: string
  readonly what: string
  readonly unit: 'x' | '%' | 'KB' | 'MB' | 'ms' | 'requests'
  /** The value should not exceed it; undefined where there is no goal. */
  readonly goal?: number
  readonly value: number
  readonly detail: string
}

/** How often each thing is measured. */
export interface Rounds {
  readonly short: number
  readonly long: number
  readonly searches: number
  readonly appends: number
  readonly checks: number
  readonly idleSeconds: number
  /** Sizes of sessions that are restored from a store. */
  readonly restoredMb: readonly number[]
}

/** The home and Ion's own folder that a measured process sees, and the PATH where it starts programs. */
export interface World {
  readonly home: string
  readonly ionHome: string
  readonly path?: string
}

export interface BenchContext {
  /** The built program. */
  readonly program: string
  readonly rounds: Rounds
  readonly corpora: Corpora
  readonly inProcess: CallInProcess
  say(text: string): void
  /** A new folder that is removed at the end. */
  scratch(name: string): string
}

export type Measure = (context: BenchContext) => Promise<Row[]>
