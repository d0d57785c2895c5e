import type { Block } from '../../events/schema.ts'
import { asArray, asObject, asString } from '../../native/narrow.ts'

/**
 * A session file (0.36.0) holds `chatHistory`, one item for each request to the model: what was sent (`request_nodes`)
 * and what came back (`response_nodes`). The result of a tool is sent with the next request, so it stands in the next
 * item. The numbers are those of Augment's protocol.
 */
export type Fields = Readonly<Record<string, unknown>>

export const requestNode = { text: 0, toolResult: 1, image: 2, ideState: 4, file: 8, historySummary: 10 } as const

export const responseNode = {
  text: 0,
  wholeText: 2,
  toolUse: 5,
  thinking: 8,
  tokenUsage: 10,
} as const

/** Suggested questions, file chunks, sources, the start of a call that is told again when it is whole, billing. */
export const asideResponseNodes: ReadonlySet<unknown> = new Set([1, 3, 4, 7, 9])

const imageFormats = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** `image_data` is base64; `format` is a number from 1 on. */
export function imageBlock(value: unknown): Block {
  const image = asObject(value) ?? {}
  const data = asString(image.image_data)
  const media_type = imageFormats[Number(image.format) - 1] ?? null
  return { type: 'image', media_type, ...(data ? { data } : {}) }
}

/** `file_data` is base64; the name is not always there. */
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
