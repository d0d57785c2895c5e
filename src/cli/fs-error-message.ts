interface FsErrorMessage {
  /** Includes the path. */
  readonly message: string
  readonly what: string
  readonly hint: string
}

/**
 * An unexpected file system error in plain words, and what to do about it. Undefined for any other error, and for codes
 * that mean nothing to a user.
 */
export function describeFsError(error: unknown): FsErrorMessage | undefined {
  const { code, path, syscall } = (error ?? {}) as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined) return undefined
  const [what, hint] = meanings[code] ?? []
  if (what === undefined || hint === undefined) return undefined
  return { message: `${path ?? syscall}: ${what}`, what, hint }
}

const meanings: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  EACCES: ['permission denied', 'check its permissions, or choose another place'],
  EPERM: ['not permitted', 'check its permissions, or choose another place'],
  EROFS: ['the file system is read-only', 'choose another place'],
  ENOSPC: ['the disk is full', 'free disk space and try again'],
  EDQUOT: ['your disk quota is exceeded', 'free disk space and try again'],
  ENOENT: ['no such file or folder', 'give the path of an existing one'],
  ENOTDIR: ['part of the path is a file, not a folder', 'choose another place'],
  EEXIST: ['already exists', 'choose another place, or move it away'],
  EISDIR: ['is a folder, but a file is needed', 'give the path of a file'],
  ENAMETOOLONG: ['the name is too long', 'choose a shorter one'],
  EMFILE: ['too many open files', 'raise the limit: ulimit -n 4096'],
}
