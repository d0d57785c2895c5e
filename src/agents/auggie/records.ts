import type { Problem } from '../../events/item.ts'
import type { Block } from '../../events/schema.ts'
import { imageBlock } from '../../native/content.ts'
import { asArray, asObject, asString } from '../../native/narrow.ts'
import { cannotRead } from '../../native/problem.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { readWhole } from '../../native/window.ts'

/**
 * A session file (0.36.0) holds `chatHistory`, one item for each request to the model: what was sent (`request_nodes`)
 * and what came back (`response_nodes`). The result of a tool is sent with the next request, so it is in the next item. The
 * numbers are those of Augment's protocol.
 */
export type Fields = Readonly<Record<string, unknown>>

/** The session file; a problem if it is not one. As one JSON value it has to be in memory at once. */
export function readSession(path: string, reading: ReadContext): Fields | Problem {
  try {
    const text = readWhole(path, reading).toString('utf8')
    const session = asObject(JSON.parse(text.replace(/^\uFEFF/, '')))
    return session ?? { code: 'not_json', problem: 'not a JSON object', path }
  } catch (error) {
    return cannotRead(path, error)
  }
}

export const requestNode = { text: 0, toolResult: 1, image: 2, ideState: 4, file: 8, historySummary: 10 } as const

export const responseNode = { text: 0, wholeText: 2, toolUse: 5, thinking: 8, tokenUsage: 10 } as const

/** Suggested questions, file chunks, sources, the start of a call that is repeated when it is complete, billing. */
export const ignoredResponseNodes: ReadonlySet<unknown> = new Set([1, 3, 4, 7, 9])

export const imageFormats = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** `image_data` is base64; `format` is a number from 1 on. */
export function pictureBlock(value: unknown): Block {
  const image = asObject(value) ?? {}
  return imageBlock(imageFormats[Number(image.format) - 1], image.image_data)
}

/** `file_data` is base64; the name may be missing. */
export function fileBlock(value: unknown): Block {
  const file = asObject(value) ?? {}
  const data = asString(file.file_data)
  return {
    type: 'file',
    path: asString(file.file_name) || 'unnamed',
    media_type: asString(file.format) ?? null,
    ...(data ? { data } : {}),
  }
}

/** Where the user was: the folder of the terminal, else the first folder of the workspace. */
export function folderOf(ideState: Fields): string | undefined {
  const terminal = asObject(ideState.current_terminal)
  const workspace = asObject(asArray(ideState.workspace_folders)?.[0])
  return asString(terminal?.current_working_directory) || asString(workspace?.folder_root) || undefined
}
