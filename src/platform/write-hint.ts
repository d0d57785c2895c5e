const OTHER_HOME = 'set ION_HOME to a folder that you can write to'

/** What to do when nothing could be written to `path`, by the cause. `otherPlace`: for what is not in Ion's home. */
export function writeHint(error: unknown, path: string, otherPlace: string = OTHER_HOME): string {
  switch (errnoOf(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return `free disk space on the disk of ${path}`
    case 'EACCES':
    case 'EPERM':
      return `check the permissions of ${path}, or ${otherPlace}`
    case 'EROFS':
    case 'ENOENT':
    case 'ENOTDIR':
      return otherPlace
    default:
      return `free disk space or check the permissions of ${path}`
  }
}

/** The system's code of an error, or of what caused it. */
export function errnoOf(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException
    if (typeof code === 'string') return code
  }
  return undefined
}
