import { createHash } from 'node:crypto'
import { basename, join } from 'node:path'
import { replaceFile } from '../platform/atomic-file.ts'

export const LARGEST_UPLOAD = 10 * 1024 * 1024

/** In letters, which may have four bytes each; a file system takes 255 bytes. */
const LONGEST_NAME = 50

/**
 * Keeps a file below the task's folder, where it outlives restarts. The folder is named by the content, so that two files
 * of one name do not meet; nothing of the given name but its last part is used.
 */
export function keepUpload(taskFolder: string, name: string, bytes: Uint8Array): string {
  const print = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
  const path = join(taskFolder, 'uploads', print, safeName(name))
  replaceFile(path, bytes)
  return path
}

/** No folder, no control characters, nothing that a shell, a system or the agent's prompt takes for something else. */
export function safeName(name: string): string {
  const last = basename(name.replaceAll('\\', '/'))
  const plain = last
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}._ -]+/gu, '_')
    .replace(/^[.\s]+|[.\s]+$/g, '')
  const letters = [...plain]
  if (letters.length <= LONGEST_NAME) return plain || 'file'
  const end = /\.\w{1,10}$/.exec(plain)?.[0] ?? ''
  return `${letters.slice(0, LONGEST_NAME - end.length).join('')}${end}`
}
