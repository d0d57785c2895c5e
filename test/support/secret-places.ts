import type { IonEvent } from '../../src/events/schema.ts'
import { learnEvent, redactEvent } from '../../src/export/redact/redact-event.ts'
import { Redactor } from '../../src/export/redact/redactor.ts'
import { Random, type SecretKind } from './secret-kinds.ts'

const base = { id: 'e1', parent_id: null, timestamp: '2026-03-01T10:00:00.000Z', seq: 1 } as const

/** Where a secret is met in a session. */
const places: Readonly<Record<string, (text: string, secret: string) => IonEvent>> = {
  'plain text': (text) => ({ ...base, type: 'user', content: `Please look at this:\n${text}\nand go on.` }),
  'JSON in JSON': (text) => result(JSON.stringify({ output: JSON.stringify({ log: `${text}\n` }) })),
  'shell command': (text) => ({ ...base, type: 'tool_use', name: 'Bash', input: { command: text, description: 'x' } }),
  'coloured output': (text, secret) => result(`$ run\n${text.replace(secret, () => coloured(secret))}\ndone`),
  'code with line numbers': (text) =>
    result(
      text
        .split('\n')
        .map((line, at) => `${at + 12}\t${line}`)
        .join('\n'),
    ),
  'JSON in JSON, coloured': (text, secret) =>
    result(JSON.stringify({ output: JSON.stringify({ log: text.replace(secret, () => coloured(secret)) }) })),
  diff: (text) => {
    const added = text.split('\n').map((line) => `+${line}`)
    return { ...base, type: 'tool_use', name: 'Edit', input: { diff: ['@@ -1 +1,2 @@', ' x', ...added].join('\n') } }
  },
}

export const placeNames: readonly string[] = Object.keys(places)

function result(content: string): IonEvent {
  return {
    ...base,
    type: 'tool_result',
    tool_use_id: 'c1',
    is_error: false,
    content: [{ type: 'text', text: content }],
  }
}

function coloured(text: string): string {
  return text
    .split('\n')
    .map((line) => `\x1b[1;32m${line}\x1b[0m`)
    .join('\n')
}

/** The places in which something of the secret remains. */
export function remaining({ make }: SecretKind, seed: number): string[] {
  return placeNames.filter((place) => {
    const { text, secret } = make(new Random(seed))
    const original = places[place]!(text, secret)
    const redactor = new Redactor()
    learnEvent(original, redactor)
    const masked = flat(JSON.stringify(redactEvent(original, redactor)))
    const lines = flat(secret)
      .split('\n')
      .filter((line) => !line.startsWith('-----'))
    return lines.some((line) => masked.includes(line))
  })
}

/** Without the backslashes of any level of JSON. */
function flat(text: string): string {
  return text.replace(/\\+[nr]/g, '\n').replace(/\\+/g, '')
}
