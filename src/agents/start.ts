import type { SessionHead } from '../events/session.ts'
import type { ReadContext } from '../native/read-context.ts'
import type { Io } from '../platform/io.ts'
import type { CommandLineSpec } from './command-line.ts'
import type { ScreenAnswer, ScreenQuestion, ScreenRow } from './screen.ts'

/** A prompt in every form that an agent may take. */
export interface Prompt {
  /** The exact text, to inspect. It is passed in one of the other forms. */
  readonly text: string
  /** For an argument: the text itself, or a sentence that names its file when the text is too long for an argument. */
  readonly argument: string
  /** A private file with the exact text, for agents that read one. It is also what stdin is when a command asks for it. */
  readonly file: string
}

/** What an agent is to be started with. Everything is decided; an adapter turns it into the agent's command line. */
export interface StartRequest {
  /**
   * Warm: the native id of the session. Cold: a fresh UUID, which becomes the id where the agent accepts one
   * (`sessionId: 'assigned'`), and can serve as a unique name elsewhere.
   */
  readonly session: string
  /** Warm: the session's main file, for agents that resume by path. */
  readonly sessionPath?: string
  /** Undefined: nothing is sent. */
  readonly prompt: Prompt | undefined
  /** One turn without a terminal, then exit. */
  readonly headless: boolean
  /** The user's own arguments for the agent. */
  readonly args: readonly string[]
  /** The working directory: an absolute real path. */
  readonly cwd: string
  /** A private folder of the task for files that only this agent needs. Created when a command has `files`. */
  readonly folder: string
  /** Of the installed program; undefined when it is not known. */
  readonly version: string | undefined
  readonly io: Io
}

/** A command as data: `--dry-run` prints it, and none of it goes through a shell. */
export interface AgentCommand {
  /** What comes after the program's name. */
  readonly args: readonly string[]
  /** `prompt`: stdin is the prompt's file. Otherwise the terminal, or nothing when there is none. */
  readonly stdin?: 'prompt'
  /** Variables to set; those that are undefined are removed. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Files to write before the start. */
  readonly files?: readonly { readonly path: string; readonly content: string }[]
  /**
   * `lines`: stdout is for programs, and `parseOutputLine` reads it. `talk`: it is for people, with the answer somewhere in
   * it; it goes to stderr, and the answer is printed from the transcript at the end. Otherwise it goes to the user as is.
   */
  readonly output?: 'lines' | 'talk'
  /** For a version that does not accept an id, although the agent's `sessionId` is `assigned`. */
  readonly sessionId?: 'reported'
  /** Exits after the prompt even in a terminal, although the agent's other commands stay open: Ion reopens it at once. */
  readonly endsAfterPrompt?: true
  /** What the user should know about this start, one sentence each. */
  readonly notes?: readonly string[]
}

/** What a line of output reports. */
export interface OutputEvent {
  readonly session?: string
  /** The agent has stored the prompt in its session. */
  readonly promptReceived?: true
  /** Text of the answer, for the user. */
  readonly text?: string
  /** Why the turn failed. */
  readonly error?: string
}

/** A question that the agent asks before the first turn. Ion never answers it. */
export interface Dialog {
  /** Short, as it is typed after `--prepare`: `trust`, `onboarding`. */
  readonly id: string
  /** What it asks, in a few words: `asks whether you trust this folder`. */
  readonly asks: string
  /** False when the file that would say so cannot be read. */
  readonly certain: boolean
}

/** How to recognise a dialog on the screen. */
export interface DialogScreen {
  readonly id: string
  readonly pattern: RegExp
  readonly asks: string
}

/** A change to one of the agent's settings files, made only when the user asks for it. */
export interface Preparation {
  readonly file: string
  /** The complete new content; equal to the present one when there is nothing to do. */
  readonly content: string
  /** What is set, in a few words: `hasTrustDialogAccepted of /home/dev/shop`. */
  readonly sets: string
}

/**
 * A copy to make before a start that may destroy the file. `move`: the file itself does harm as long as it exists; `append`:
 * lines without which the agent could not resume from it, added once it is copied.
 */
export type SafetyCopy =
  | { readonly name: string; readonly path: string; readonly move?: true; readonly append?: string }
  | { readonly name: string; readonly content: string }

/** For an agent that may keep sessions on a server, where Ion does not look. */
export interface RemoteSessions {
  /** Whether the transcript is only on the server. A prompt that was sent then counts as received: better lost than sent twice. */
  isRemoteOnly(head: SessionHead): boolean
  /** What is known about a pinned session that the store no longer lists; undefined when `files`, its last ones, were local. */
  head(nativeId: string, files: readonly string[]): SessionHead | undefined
}

/** Why a start cannot work, and what to do about it. */
export interface Refusal {
  readonly why: string
  readonly hint: string
  /** The agent would run the prompt as a command. Nothing has failed: the user can type it in the agent instead. */
  readonly isCommand?: true
}

/** Databases by the folder they are in and their names. */
export interface CreatedDatabases {
  readonly folder: string
  readonly name: RegExp
}

/** How an agent is started, and how Ion learns what happened. */
export interface Start {
  /** The oldest version that behaves as this adapter says; older ones are refused. */
  readonly oldest: string
  /** The newest version that was tested; newer ones run with a warning. */
  readonly newest: string
  /** `assigned`: the cold request's session becomes the native id. `reported`: the output says it, or the store is searched. */
  readonly sessionId: 'assigned' | 'reported'
  /** The agent exits after the first turn even in a terminal, so a warm start follows at once. */
  readonly endsAfterPrompt?: true

  /** The first start. Without `request.prompt` a session is opened for the user to type in. */
  cold(request: StartRequest): AgentCommand
  /** Reopens `request.session`, with one more prompt or none. Never by "latest". */
  warm(request: StartRequest): AgentCommand
  /** What Ion takes out of a complete command line of the agent. */
  readonly commandLine?: CommandLineSpec
  /** Reads a line of output of a command with `output: 'lines'`; undefined when it says nothing. */
  parseOutputLine?(line: string): OutputEvent | undefined
  /** The folder that a session started in `cwd` records, where that differs: the top of the repository. */
  recordedCwd?(cwd: string): string
  /** Whether this is the session of that cold request, where more than folder, time and prompt identify it. */
  matchesRequest?(head: SessionHead, session: string): boolean
  readonly remote?: RemoteSessions
  /** For an agent that fails if two of it create its databases at the same time: which ones its first start creates. */
  createsDatabases?(io: Io): CreatedDatabases
  /** What to copy before a start that may destroy it. */
  filesToBackUp?(kind: 'cold' | 'warm', request: StartRequest, reading: ReadContext): Iterable<SafetyCopy>
  /** What to copy or move away after the agent has exited, because it does harm or may be destroyed later. */
  filesToRemove?(request: StartRequest, reading: ReadContext): Iterable<SafetyCopy>
  /** What in these arguments or settings makes the agent store no session: `--ephemeral`. Undefined when nothing does. */
  storingDisabledBy?(request: Pick<StartRequest, 'args' | 'cwd' | 'io'>): string | undefined
  /** An answer that it could not store ends with an error too: an exit code does not say that the prompt was not answered. */
  readonly failsIfUnstored?: true
  /** Why a start cannot work now: not logged in, an archived session. Undefined when nothing speaks against it. */
  preflight?(kind: 'cold' | 'warm', request: StartRequest, reading: ReadContext): Refusal | undefined
  /** What will ask before the first turn, as far as the agent's files say. Only for a start in a terminal. */
  dialogs?(request: Pick<StartRequest, 'cwd' | 'io' | 'args'>): readonly Dialog[]
  readonly screens?: readonly DialogScreen[]
  /**
   * What the box for messages holds: `''` when it is empty, undefined when the screen shows no such box. Without this Ion
   * cannot tell a box from anything else that the agent shows, and types into both.
   */
  readInput?(rows: readonly ScreenRow[]): string | undefined
  /** The box is not on the screen while the agent works; without this a screen that has neither it nor a question is unknown. */
  readonly hidesInputWhileWorking?: true
  /** Whether the screen says that the agent works. Without this one that draws something works, even if it only animates. */
  isWorking?(rows: readonly ScreenRow[]): boolean
  /** A question that is not a numbered list. It is asked only for screens without the box. */
  readQuestion?(rows: readonly ScreenRow[]): ScreenQuestion | undefined
  /**
   * What the agent is saying, while it is not in the transcript yet. Undefined when the screen shows no such text. Where the
   * agent draws an answer only when it is complete, this is left out.
   */
  readAnswer?(rows: readonly ScreenRow[]): ScreenAnswer | undefined
  /** The keys that interrupt a turn, where that is not Escape. */
  readonly interrupt?: string
  /** By dialog id: the settings that answer it in advance. */
  readonly prepare?: Readonly<Record<string, (request: Pick<StartRequest, 'cwd' | 'io'>) => Preparation>>
}
