import type { SessionHead } from '../events/session.ts'
import type { ReadContext } from '../native/read-context.ts'
import type { Io } from '../platform/io.ts'

/** A prompt in each form in which an agent may take it. */
export interface Prompt {
  /** The exact text, to look at. It goes out in one of the other forms. */
  readonly text: string
  /** For an argument: the text itself, or one sentence that says where it is when it is too long for an argument. */
  readonly argument: string
  /** A private file with the exact text, for agents that read one. It is also what stdin is when a command asks for it. */
  readonly file: string
}

/** What an agent is to be started with. All is decided; an adapter puts it into the words of its agent. */
export interface StartRequest {
  /**
   * Warm: the native id of the session. Cold: a fresh UUID, which becomes the id where the agent lets one choose
   * (`sessionId: 'assigned'`), and may serve as a unique name elsewhere.
   */
  readonly session: string
  /** Undefined: nothing is sent. */
  readonly prompt: Prompt | undefined
  /** One turn without a terminal, then the end. */
  readonly headless: boolean
  /** The user's own arguments for the agent. */
  readonly args: readonly string[]
  /** Where it runs: an absolute real path. */
  readonly cwd: string
  /** A private folder of the task, for files that only this agent needs. Made when a command has `files`. */
  readonly folder: string
  /** Of the installed program; undefined when it does not tell. */
  readonly version: string | undefined
  readonly io: Io
}

/** A command as data: it is shown by `--dry-run`, and nothing of it goes through a shell. */
export interface AgentCommand {
  /** What comes after the program's name. */
  readonly args: readonly string[]
  /** `prompt`: stdin is the prompt's file. Otherwise it is the terminal, and nothing when there is none. */
  readonly stdin?: 'prompt'
  /** Variables to set; undefined ones are removed. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Files to write before, whole. */
  readonly files?: readonly { readonly path: string; readonly content: string }[]
  /**
   * `lines`: stdout is for a program, and `told` reads it. `talk`: it is for a person, with the answer somewhere in it; it
   * goes to stderr, and the answer is printed from the transcript at the end. Otherwise it goes to the user as it is.
   */
  readonly output?: 'lines' | 'talk'
  /** A version that does not let one choose the id, although `naming` says so of the agent. */
  readonly sessionId?: 'reported'
  /** Ends after the prompt even in a terminal, although the agent's other commands stay open: it is opened again at once. */
  readonly endsAfterPrompt?: true
  /** What the user should know of this start, one sentence each. */
  readonly notes?: readonly string[]
}

/** What a line of output tells. */
export interface OutputEvent {
  readonly session?: string
  /** The agent has the prompt: it stands in its session. */
  readonly promptReceived?: true
  /** Text of the answer, for the user. */
  readonly text?: string
  /** Why the turn failed. */
  readonly error?: string
}

/** Something that asks before the first turn. It is never answered by Ion. */
export interface Dialog {
  /** Short, as it is typed after `--prepare`: `trust`, `onboarding`. */
  readonly id: string
  /** What it asks, in a few words: `asks whether you trust this folder`. */
  readonly asks: string
  /** False when it is not certain: the file that would tell cannot be read. */
  readonly certain: boolean
}

/** How a dialog looks on the screen. */
export interface DialogScreen {
  readonly id: string
  readonly pattern: RegExp
  readonly asks: string
}

/** A change to a settings file of the agent, made only when the user asks for it. */
export interface Preparation {
  readonly file: string
  /** The whole new content; equal to what is there when nothing is to be done. */
  readonly content: string
  /** What it sets, in a few words: `hasTrustDialogAccepted of /home/dev/shop`. */
  readonly sets: string
}

/** A copy to be made before a start that may destroy it; `move`: as long as the file is there it does harm. */
export type SafetyCopy =
  | { readonly name: string; readonly path: string; readonly move?: true }
  | { readonly name: string; readonly content: string }

/** Of an agent that may keep a session on a server, where Ion does not look. */
export interface RemoteSessions {
  /** Whether the transcript is there and not here. A prompt that was handed over counts as arrived then: better once too few than twice. */
  isRemoteOnly(head: SessionHead): boolean
  /** What is known of a pinned session that the store no longer names; undefined when `files`, its last ones, say that it was here. */
  head(nativeId: string, files: readonly string[]): SessionHead | undefined
}

/** How an agent is started, and how Ion learns what became of it. */
export interface Start {
  /** The oldest version that behaves as this adapter says; one that is older is refused. */
  readonly oldest: string
  /** The newest version that was looked at; one that is newer runs with a warning. */
  readonly newest: string
  /** `chosen`: the session of a cold order becomes the native id. `told`: the output says it, or the store is searched. */
  readonly sessionId: 'assigned' | 'reported'
  /** The agent ends after the first turn even in a terminal, so that a warm start follows at once. */
  readonly endsAfterPrompt?: true

  /** The first start. `order.prompt` may be undefined: then a session is opened for the user to type in. */
  cold(order: StartRequest): AgentCommand
  /** Opens `order.session` again, with one more prompt or with none. Never by "latest". */
  warm(order: StartRequest): AgentCommand
  /** A line of output of a command with `output: 'lines'`; undefined when it tells nothing. */
  parseOutputLine?(line: string): OutputEvent | undefined
  /** The folder that the session of a start in `cwd` says it is of, where that is another: the top of the repository. */
  recordedCwd?(cwd: string): string
  /** Whether this is the session of that cold order, where more than folder, time and prompt tell. */
  matchesRequest?(head: SessionHead, session: string): boolean
  readonly remote?: RemoteSessions
  /** What to copy before a start because the agent may destroy it. */
  filesToBackUp?(kind: 'cold' | 'warm', order: StartRequest, reading: ReadContext): Iterable<SafetyCopy>
  /** What to copy or move away when the agent has ended, because it does harm or may be destroyed later. */
  filesToRemove?(order: StartRequest, reading: ReadContext): Iterable<SafetyCopy>
  /** Why it cannot work now, and what to do: not logged in, an archived session. Undefined when nothing is known against it. */
  preflight?(
    kind: 'cold' | 'warm',
    order: StartRequest,
    reading: ReadContext,
  ): { readonly why: string; readonly hint: string } | undefined
  /** What will ask before the first turn, as far as the agent's files tell. Only for a start in a terminal. */
  dialogs?(order: Pick<StartRequest, 'cwd' | 'io' | 'args'>): readonly Dialog[]
  readonly screens?: readonly DialogScreen[]
  /** The keys that interrupt a turn, where that is not Escape. */
  readonly interrupt?: string
  /** By the dialogs' ids: the settings that answer them beforehand. */
  readonly prepare?: Readonly<Record<string, (order: Pick<StartRequest, 'cwd' | 'io'>) => Preparation>>
}
