import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../platform/durable.ts'
import { IonError, isMissing, messageOf } from '../platform/error.ts'

export interface Token {
  readonly token: string
  readonly file: string
  /** It was made just now, and nobody has seen it yet. */
  readonly isNew: boolean
}

export function tokenFile(taskFolder: string): string {
  return join(taskFolder, 'serve-token')
}

/** The token of the task, the same at every start; made where there is none yet. Only the user may read the file. */
export function tokenIn(file: string): Token {
  try {
    const token = readFileSync(file, 'utf8').trim()
    if (/^[\w-]{16,}$/.test(token)) return { token, file, isNew: false }
    throw new IonError('failed', `${file} holds no token`, { hint: 'remove it, and a new one is made' })
  } catch (error) {
    if (error instanceof IonError) throw error
    if (!isMissing(error)) {
      throw new IonError('failed', `cannot read the token: ${messageOf(error)}`, { cause: error, hint: file })
    }
  }
  const token = randomBytes(24).toString('base64url')
  replaceFile(file, `${token}\n`)
  return { token, file, isNew: true }
}
