/** What a failure means to the caller of the command line. docs/cli.md is generated from this table. */
export const exitCodes = {
  ok: { code: 0, meaning: 'done' },
  failed: { code: 1, meaning: 'failed; "ion search": nothing was found' },
  usage: { code: 2, meaning: 'wrong usage' },
  'not-found': { code: 3, meaning: 'no such session, agent or file' },
  refused: { code: 4, meaning: 'refused: in use, or data would be lost' },
  'not-installed': { code: 5, meaning: 'the agent is not installed' },
} as const

export type ExitKind = keyof typeof exitCodes

/** What an error means, for programs: part of the public API. */
export type ErrorKind = Exclude<ExitKind, 'ok'>

/** The one error of Ion: what went wrong, and what to type next. Thrown low, printed once in `cli/`. */
export class IonError extends Error {
  readonly kind: ErrorKind
  readonly hint: string | undefined

  constructor(kind: ErrorKind, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'IonError'
    this.kind = kind
    this.hint = options.hint
  }
}

/** The message of anything thrown, on one line. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.replace(/\s+/g, ' ').trim()
}

/** The file or folder does not exist. */
export function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException)?.code
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** Nothing can be written there: the disk is full or read-only. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EROFS'].includes((error as NodeJS.ErrnoException)?.code ?? '')
}

/** What `read` returns; undefined when it throws. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
