import type { Item, Problem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import type { ReadContext } from '../native/read-context.ts'
import type { FileStamp } from '../native/walk.ts'
import type { Io } from '../platform/io.ts'
import type { BackupSpec } from './backup.ts'
import type { LineScanner } from './line-scanner.ts'
import type { Quota } from './quota.ts'
import type { RowStore } from './row-store.ts'
import type { Start } from './start.ts'
import type { Statusline } from './statusline.ts'
import type { SessionWriter } from './write.ts'

/** A place where an agent keeps data, given the user's environment. */
export interface DataPath {
  readonly path: string
  /** What it contains, in a few words. */
  readonly what: string
  /** Variables that move it. */
  readonly env: readonly string[]
}

/** Something that may contain sessions: a file, a few files that belong together, or a database. Found without reading. */
export interface Source {
  /** The main file; unique among the agent's sources. */
  readonly path: string
  /** Stamps of all its files: if none changed, there is nothing to do. */
  readonly files: readonly FileStamp[]
}

/** The agent's own rule for deleting sessions. */
export interface Retention {
  readonly days: number
  /** The setting, and the file that it is in. */
  readonly setting: string
  /** What the age is counted from. */
  readonly counts: 'file time' | 'last update'
  /** Anything else that deletes sessions, in one sentence. */
  readonly danger?: string
}

/**
 * One agent. Everything Ion knows about it is in its folder; nothing else names it.
 * All iterables are lazy, can be consumed while the agent writes, change nothing in the store, and yield a Problem instead
 * of throwing where something cannot be read.
 */
export interface Agent {
  /** As typed on the command line. */
  readonly id: string
  readonly title: string
  /** Other names that users and modules use for it. */
  readonly aliases: readonly string[]
  /** Names of its program, the usual one first. */
  readonly binaries: readonly string[]
  /** How to install it, in one line. */
  readonly install: string
  /** AgentAPI's `--type` for it. Default `custom`, which AgentAPI accepts for any program. */
  readonly agentapiType: string
  /** Name of its Coder module. Default: the id. */
  readonly module: string
  /** Disk space to reserve, in bytes. Default 50 MB. */
  readonly minimumBytes: number
  /**
   * Files that hold credentials, as paths or patterns below the data paths: never copied or exported, and read only where
   * the sessions, or the settings of a first-run dialog, are in the same file.
   */
  readonly secrets: readonly string[]
  /** What to know about resuming it. The level of support is measured: see level.ts. */
  readonly resume: { readonly note: string }
  /** True for Ion's own archive, which is read like an agent but is not one. */
  readonly isArchive?: boolean
  /**
   * A folder has one session, and a start there may overwrite it: its exact copy is archived before every start, and
   * restoring another session of the folder takes its place.
   */
  readonly onePerFolder?: true
  /** What reading loses or cannot see, in one sentence, for the table of agents. */
  readonly limits?: string

  paths(io: Io): readonly DataPath[]
  retention?(io: Io): Retention | undefined
  /** The agent's own command that reopens the session, to run in the session's cwd; undefined when there is none. */
  resumeCommand(head: SessionHead): readonly string[] | undefined

  /**
   * Where sessions may be. Lists folders and stats files; opens nothing except a settings file that moves the store. Nothing
   * when the agent was never run.
   */
  sources(reading: ReadContext): Iterable<Source | Problem>
  /** The sessions of a source, without reading bodies: the first and last kilobytes of a file, or a query. */
  heads(source: Source, reading: ReadContext): Iterable<SessionHead | Problem>
  /** The session as events, session_start first. Memory does not grow with the session. Twice gives equal events. */
  read(head: SessionHead, reading: ReadContext): Iterable<Item>

  /** For stores of large append-only files: counts and texts without parsing every line. Must agree with `read`. */
  readonly scanner?: LineScanner
  /**
   * The files that contain all text of the session, as UTF-8 and unchanged but for JSON's escapes: search looks through their
   * bytes before it reads the session. Left out, or undefined, where the text is in a database or compressed.
   */
  textFiles?(head: SessionHead, reading: ReadContext): readonly string[] | undefined
  /** The same for a session in a database: the values of its rows. Undefined for one that is not. */
  textRows?(head: SessionHead): Iterable<Uint8Array | Problem> | undefined
  /** For stores of rows: what is new in a large session, without reading all of it. Must agree with `read`. */
  readonly rows?: RowStore
  /**
   * Which process has each of these sessions (native ids) open: its pid, false for none, and no entry when that is not
   * known. Left out where the agent leaves no trace of it. Called with every list, so it opens only a few small files per
   * session; a process of another machine or container that shares the folder is not seen.
   */
  live?(io: Io, nativeIds: readonly string[]): ReadonlyMap<string, number | false>
  /** What belongs to a session in the store, so that it can be restored. Left out where it cannot. */
  readonly backup?: BackupSpec
  /** How it is started, cold and warm. Left out for what cannot be started. */
  readonly start?: Start
  /** Writes a session of another agent, to continue it in this one. Left out where the agent accepts none. */
  readonly writer?: SessionWriter
  /** Limits of its vendor that it has stored, from the end of its newest sessions. Left out where it stores none. */
  quotas?(reading: ReadContext): Iterable<Quota>
  /** What the agent passes to a statusline hook; undefined if this is not from it. Left out where it has no such hook. */
  statusline?(input: Readonly<Record<string, unknown>>): Statusline | undefined
  /** Sessions on the agent's server, listed by the agent's own program, only when the user asks for them. */
  remote?(reading: ReadContext): Iterable<SessionHead | Problem>
}

/** What a list of agents shows: see _programs.ts, which loads no agent. */
export type AgentProgram = Pick<Agent, 'id' | 'title' | 'binaries'> & { readonly isArchive: boolean }

type Defaults = 'agentapiType' | 'module' | 'minimumBytes'

/** An agent's index.ts is `export default defineAgent({...})`. */
export function defineAgent(agent: Omit<Agent, Defaults> & Partial<Pick<Agent, Defaults>>): Agent {
  return { agentapiType: 'custom', module: agent.id, minimumBytes: 50e6, ...agent }
}
