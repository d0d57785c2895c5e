// The canonical events as JSON Schema, for programs that are not written in TypeScript.
import { z } from 'zod'

export function eventJsonSchema(eventSchema, version) {
  // `input`: a field that a later version adds is no error, as it is none to Ion.
  const { $schema, ...schema } = z.toJSONSchema(eventSchema, { io: 'input' })
  const title = `An event of Ion's canonical log, format version ${version}: one line of JSON`
  return `${JSON.stringify({ $schema, title, ...schema }, null, 2)}\n`
}
