import { createHash } from 'node:crypto'
import { basename, join } from 'node:path'
import { replaceFile } from '../platform/atomic-file.ts'

export const LARGEST_UPLOAD = 10 * 1024 * 1024

/** In characters of up to four bytes; file systems allow 255 bytes. */
const LONGEST_NAME = 50

/**
 * Saves a file in the task's folder, where it survives restarts. Its folder is named by the content, so that two files
 * with the same name do not collide; only the last part of the given name is used.
 */
export function saveUpload(taskFolder: string, name: string, bytes: Uint8Array): string {
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
  const path = join(taskFolder, 'uploads', hash, safeName(name))
  replaceFile(path, bytes)
  return path
}

/** No folders, no control characters, nothing that a shell, the system or the agent's prompt would interpret. */
export function safeName(name: string): string {
  const last = basename(name.replaceAll('\\', '/'))
  const plain = last
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}._ -]+/gu, '_')
    .replace(/^[.\s]+|[.\s]+$/g, '')
  const characters = [...plain]
  if (characters.length <= LONGEST_NAME) return plain || 'file'
  const extension = /\.\w{1,10}$/.exec(plain)?.[0] ?? ''
  return `${characters.slice(0, LONGEST_NAME - extension.length).join('')}${extension}`
}
