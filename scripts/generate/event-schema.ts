// The canonical events as JSON Schema, for programs that are not written in TypeScript.
import { z } from 'zod'
import { FORMAT_VERSION } from '../../src/events/format-version.ts'
import { eventSchema } from '../../src/events/schema.ts'

export function eventJsonSchema(): string {
  // `input`: a field that a later version adds is not an error, as it is not one to Ion.
  const { $schema, ...schema } = z.toJSONSchema(eventSchema as unknown as z.ZodType, { io: 'input' })
  const title = `An event of Ion's canonical log, format version ${FORMAT_VERSION}: one line of JSON`
  return `${JSON.stringify({ $schema, title, ...schema }, null, 2)}\n`
}
