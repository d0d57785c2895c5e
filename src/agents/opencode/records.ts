import { asObject, asString } from '../../native/narrow.ts'

/** The shapes of 1.18.33 and of the JSON trees before it, as far as Ion uses them. */
export type Json = Readonly<Record<string, unknown>>

export interface OpenCodeMessage {
  /** `message.data`, with its id. */
  readonly info: Json
  /** `part.data`, each with its id. */
  readonly parts: readonly Json[]
}

/** The model of an assistant's message, else the one that the user chose for the answer. */
export function modelOf(info: Json): string | undefined {
  return asString(info.modelID) ?? asString(asObject(info.model)?.modelID)
}

/** The name of a session before it has a title. */
export function isPlaceholderTitle(title: string): boolean {
  return /^(New|Child) session - \d{4}-\d\d-\d\dT[\d:.]+Z$/.test(title)
}
