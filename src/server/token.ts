import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../platform/atomic-file.ts'
import { IonError, isMissing, messageOf } from '../platform/error.ts'

export interface Token {
  readonly token: string
  readonly file: string
}

export function tokenFile(taskFolder: string): string {
  return join(taskFolder, 'serve-token')
}

/** The token of the task, the same at every start; created if there is none. Only the user may read the file. */
export function loadToken(file: string): Token {
  const known = read(file)
  if (known !== undefined) return { token: known, file }
  const fresh = `${file}.${randomBytes(6).toString('hex')}.tmp`
  replaceFile(fresh, `${randomBytes(24).toString('base64url')}\n`)
  try {
    // Atomic, and never overwrites: of two starts at the same instant one creates it.
    linkSync(fresh, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw cannotRead(error, file)
  } finally {
    rmSync(fresh, { force: true })
  }
  return { token: read(file)!, file }
}

/** Undefined if there is none yet. */
function read(file: string): string | undefined {
  let token: string
  try {
    token = readFileSync(file, 'utf8').trim()
  } catch (error) {
    if (isMissing(error)) return undefined
    throw cannotRead(error, file)
  }
  if (/^[\w-]{16,}$/.test(token)) return token
  throw new IonError('failed', `${file} does not contain a token`, { hint: 'remove it, and a new one is created' })
}

function cannotRead(error: unknown, file: string): IonError {
  return new IonError('failed', `cannot read the token: ${messageOf(error)}`, { cause: error, hint: file })
}
