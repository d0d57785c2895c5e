interface FileTrouble {
  /** With the path that it happened at. */
  readonly message: string
  readonly what: string
  readonly hint: string
}

/**
 * What an error of the file system that nobody expected means to a person, and what can be done. Undefined for any other
 * error, and for a code that says nothing to a user.
 */
export function fileTrouble(error: unknown): FileTrouble | undefined {
  const { code, path, syscall } = (error ?? {}) as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined) return undefined
  const [what, hint] = meanings[code] ?? []
  if (what === undefined || hint === undefined) return undefined
  return { message: `${path ?? syscall}: ${what}`, what, hint }
}

const meanings: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  EACCES: ['permission denied', 'allow it there, or choose another place'],
  EPERM: ['not permitted', 'allow it there, or choose another place'],
  EROFS: ['the file system is read-only', 'choose another place'],
  ENOSPC: ['the disk is full', 'make room, and try again'],
  EDQUOT: ['your quota of the disk is used up', 'make room, and try again'],
  ENOENT: ['no such file or folder', 'check the path'],
  ENOTDIR: ['a part of the path is a file, not a folder', 'choose another place'],
  EEXIST: ['something else is there', 'choose another place, or move it away'],
  EISDIR: ['a folder, where a file is needed', 'check the path'],
  ENAMETOOLONG: ['the name is too long', 'choose a shorter one'],
  EMFILE: ['too many open files', 'raise the limit: ulimit -n 4096'],
}
