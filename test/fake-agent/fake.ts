import { dirname } from 'node:path'
import { privateFolder } from '../../src/platform/atomic-file.ts'
import type { Io } from '../../src/platform/io.ts'
import { type Database, openDatabase } from '../../src/platform/sqlite.ts'
import { enterWalMode } from '../../src/platform/wal-mode.ts'

/**
 * How an agent behaves, for the fake agent: a program of ours that names, stores and resumes sessions like the real one.
 * The tests kill it at every step, and `ion demo` uses it.
 */
export interface FakeAgent {
  /** What `--version` prints. */
  readonly version: string
  /** Parses a command line as the real program does. */
  parse(argv: readonly string[], world: FakeWorld): FakeCall
  /** Whether the session exists, by the real program's rules. */
  has(session: string, world: FakeWorld): boolean
  /** Creates a session; only its id where the real program writes nothing before the first prompt. */
  create(call: FakeCall, world: FakeWorld): string
  /** Stores the user's prompt as and when the real program does. */
  prompt(session: string, text: string, world: FakeWorld): void
  answer(session: string, text: string, world: FakeWorld): void
  /** What is printed without a terminal, before and after the answer; by default only the answer. */
  opening?(session: string): string
  /** In a terminal: an empty input box as the real program draws it, with the cursor in it; by default a prompt. */
  readonly inputBox?: string
  output?(session: string, answer: string): string
}

/** An input box between two lines. */
export function boxed(top: string, prompt: string, bottom: string): string {
  const line = (char: string): string => char.repeat(40)
  return `\n${line(top)}\n${prompt}\n${line(bottom)}\x1b[1A\r\x1b[${prompt.length}C`
}

export interface FakeCall {
  /** Undefined: a new session. */
  readonly resume?: string
  /** The id or name that the caller chose for a new one. */
  readonly chosen?: string
  readonly prompt?: string
  /** Stays open for more prompts. */
  readonly interactive: boolean
  /** The real program's refusal of this command line. */
  readonly refusal?: { readonly text: string; readonly code: number }
  /** The real program's error when `resume` does not exist; undefined: it silently starts a new session. */
  readonly unknown?: { readonly text: string; readonly code: number }
}

export interface FakeWorld {
  readonly io: Io
  readonly cwd: string
  /** All of stdin; empty when it is the terminal. */
  stdin(): string
  /** Appends a line to a file of the store; a kill may tear it. */
  append(path: string, line: string): void
  /** Replaces a file of the store through a temporary file, as the real programs do. */
  replace(path: string, content: string): void
  now(): string
}

/** A database of the store, created if missing. Nothing is checkpointed: a new one is entirely in its -wal. */
export function withFakeDatabase<T>(path: string, schema: string, body: (database: Database) => T): T {
  privateFolder(dirname(path))
  const database = openDatabase(path)
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`)
    enterWalMode(database, BUSY_MS)
    database.exec(schema)
    return body(database)
  } finally {
    database.close()
  }
}

const BUSY_MS = 30_000

export interface ParsedArguments {
  /** The last value of each option, by its name without dashes; empty for one without a value. */
  readonly options: ReadonlyMap<string, string>
  readonly positional: readonly string[]
}

/** Parses a simple command line; `withValue` are the options that take the next word. */
export function parseArguments(argv: readonly string[], withValue: readonly string[]): ParsedArguments {
  const options = new Map<string, string>()
  const words: string[] = []
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index]!
    if (word === '--') {
      words.push(...argv.slice(index + 1))
      break
    }
    const [, name, value] = /^--?([A-Za-z][\w-]*)(?:=([\s\S]*))?$/.exec(word) ?? []
    if (name === undefined) words.push(word)
    else if (value !== undefined) options.set(name, value)
    else if (withValue.includes(name)) options.set(name, argv[++index] ?? '')
    else options.set(name, '')
  }
  return { options, positional: words }
}
