import { IonError, isMissing, messageOf } from '../platform/error.ts'
import { asObject } from './narrow.ts'
import { readRegularFile } from './regular-file.ts'

const MAX_SETTINGS = 64 * 1024 * 1024

/** A settings file of an agent: JSON, with comment lines allowed. Empty if it does not exist. */
export function readSettings(file: string): Readonly<Record<string, unknown>> {
  const text = settingsText(file)
  if (text.trim() === '') return {}
  try {
    return asObject(JSON.parse(text.replace(/^\s*\/\/.*$/gm, ''))) ?? {}
  } catch (error) {
    throw new IonError('failed', `${file} is not JSON: ${messageOf(error)}`, {
      cause: error,
      hint: 'fix the file by hand',
    })
  }
}

/** The file's text; empty if it does not exist. */
export function settingsText(file: string): string {
  try {
    return readRegularFile(file, MAX_SETTINGS).toString('utf8')
  } catch (error) {
    if (isMissing(error)) return ''
    throw new IonError('failed', `cannot read ${file}: ${messageOf(error)}`, {
      cause: error,
      hint: `check the permissions of ${file}`,
    })
  }
}
