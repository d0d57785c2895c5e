import type { Item, Problem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import type { ReadContext } from '../native/read-context.ts'
import type { FileStamp } from '../native/walk.ts'
import type { Io } from '../platform/io.ts'
import type { BackupSpec } from './backup.ts'
import type { FakeAgent } from './fake.ts'
import type { LineScanner } from './line-scanner.ts'
import type { RowStore } from './row-store.ts'
import type { Start } from './start.ts'

/** A place where an agent keeps data, as it is with the user's environment. */
export interface DataPath {
  readonly path: string
  /** What is there, in a few words. */
  readonly what: string
  /** Variables that move it. */
  readonly env: readonly string[]
}

/** One thing to look at for sessions: a file, a few files that belong together, or a database. Found without reading. */
export interface Source {
  /** The main file; unique among the agent's sources. */
  readonly path: string
  /** Stamps of all its files: nothing changed, nothing to do. */
  readonly files: readonly FileStamp[]
}

/** The agent's own rule for deleting sessions. */
export interface Retention {
  readonly days: number
  /** Which setting says so, and where. */
  readonly setting: string
  /** What the agent counts from. */
  readonly counts: 'file time' | 'last update'
  /** Anything else that deletes sessions, in a sentence. */
  readonly danger?: string
}

/**
 * One agent. Everything Ion knows about it is in its folder; nothing else names it.
 * All iterables are lazy, may be walked while the agent writes, change nothing in the store, and yield a Problem where
 * something cannot be read instead of throwing.
 */
export interface Agent {
  /** As typed on the command line. */
  readonly id: string
  readonly title: string
  /** Other names that users and modules have for it. */
  readonly aliases: readonly string[]
  /** Names of its program, the usual one first. */
  readonly binaries: readonly string[]
  /** How to ask it for its version. Default `--version`. */
  readonly versionArgs?: readonly string[]
  /** How it is installed, in one line. */
  readonly install: string
  /** `--type` of AgentAPI. */
  readonly agentapiType: string
  /** Name of its Coder module. */
  readonly module: string
  /** Disk to plan for, in bytes. */
  readonly minimumBytes: number
  /** Files that hold credentials, as paths or patterns below the data paths: never read, copied, exported. */
  readonly secrets: readonly string[]
  /** What to know about resuming it. How far that goes is measured: see level.ts. */
  readonly resume: { readonly note: string }
  /** True for Ion's own archive, which is read like an agent but is none. */
  readonly isArchive?: boolean
  /** A sentence on what reading loses or cannot see, for the table of agents. */
  readonly limits?: string

  paths(io: Io): readonly DataPath[]
  retention?(io: Io): Retention | undefined
  /** The agent's own command that reopens the session, to be run in the session's cwd; undefined when there is none. */
  resumeCommand(head: SessionHead): readonly string[] | undefined

  /** Where sessions may be. Lists folders and stats files, opens none. Nothing when the agent was never run. */
  sources(reading: ReadContext): Iterable<Source | Problem>
  /** The sessions of a source, without reading bodies: the first and last kilobytes of a file, or a query. */
  heads(source: Source, reading: ReadContext): Iterable<SessionHead | Problem>
  /** The session as events, session_start first. Memory does not grow with the session. Twice gives equal events. */
  read(head: SessionHead, reading: ReadContext): Iterable<Item>

  /** For stores of large append-only files: counts and texts without parsing every line. Must agree with `read`. */
  readonly scanner?: LineScanner
  /** For stores of rows: what is new in a large session, without reading it whole. Must agree with `read`. */
  readonly rows?: RowStore
  /**
   * Which process has each of these sessions (native ids) open: its pid, false for none, and no entry where one cannot
   * tell. Left out where the agent leaves no mark of it. Asked with every list, so it looks at a few small files at most per
   * session; a process of another machine or container that shares the folder is not seen.
   */
  live?(io: Io, nativeIds: readonly string[]): ReadonlyMap<string, number | false>
  /** What is a session's own in the store, so that it can be put back. Left out where it cannot. */
  readonly backup?: BackupSpec
  /** How it is started, cold and warm. Left out for what nobody can start. */
  readonly start?: Start
  /** How the fake agent plays it; loaded only then. */
  readonly fake?: () => Promise<FakeAgent>
  /** Sessions that are not on this machine, asked of the agent's own program, and only when the user says so. */
  remote?(reading: ReadContext): Iterable<SessionHead | Problem>
}

/** Only for the type: an agent's index.ts is `export default defineAgent({...})`. */
export function defineAgent(agent: Agent): Agent {
  return agent
}
