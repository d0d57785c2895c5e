import { describe, expect, test } from 'vitest'
import { Random, type SecretKind, secretKinds } from '../../../test/support/secret-kinds.ts'
import type { IonEvent } from '../../events/schema.ts'
import { learnEvent, redactEvent } from './redact-event.ts'
import { Redactor } from './redactor.ts'

const base = { id: 'e1', parent_id: null, timestamp: '2026-03-01T10:00:00.000Z', seq: 1 } as const

/** Where a secret is met in a session. */
const places: Readonly<Record<string, (text: string, secret: string) => IonEvent>> = {
  prompt: (text) => ({ ...base, type: 'user', content: `Please look at this:\n${text}\nand go on.` }),
  'tool output': (text) => result([{ type: 'text', text: `$ run\n${text}\ndone` }]),
  'tool input': (text) => ({ ...base, type: 'tool_use', name: 'Bash', input: { command: text, description: 'x' } }),
  diff: (text) => {
    const added = text.split('\n').map((line) => `+${line}`)
    return { ...base, type: 'tool_use', name: 'Edit', input: { diff: ['@@ -1 +1,2 @@', ' x', ...added].join('\n') } }
  },
  'JSON in JSON, in colour': (text, secret) =>
    result(JSON.stringify({ output: JSON.stringify({ log: text.replace(secret, () => coloured(secret)) }) })),
}

function result(content: Extract<IonEvent, { type: 'tool_result' }>['content']): IonEvent {
  return { ...base, type: 'tool_result', tool_use_id: 'c1', is_error: false, content }
}

function coloured(text: string): string {
  return text
    .split('\n')
    .map((line) => `\x1b[1;32m${line}\x1b[0m`)
    .join('\n')
}

/** The places in which something of the secret remains. */
function remaining({ make }: SecretKind, seed: number): string[] {
  return Object.entries(places).flatMap(([place, event]) => {
    const { text, secret } = make(new Random(seed))
    const original = event(text, secret)
    const redactor = new Redactor()
    learnEvent(original, redactor)
    const masked = flat(JSON.stringify(redactEvent(original, redactor)))
    const lines = flat(secret)
      .split('\n')
      .filter((line) => !line.startsWith('-----'))
    return lines.some((line) => masked.includes(line)) ? [place] : []
  })
}

/** Without the backslashes of any level of JSON. */
function flat(text: string): string {
  return text.replace(/\\+[nr]/g, '\n').replace(/\\+/g, '')
}

describe('every kind of secret is masked in every place', () => {
  test('the list is long enough', () => {
    expect(secretKinds.length).toBeGreaterThanOrEqual(600)
    expect(new Set(secretKinds.map(({ name }) => name)).size).toBe(secretKinds.length)
  })

  test.each([1, 2])('seed %i', (seed) => {
    const missed = secretKinds.map((kind) => [kind.name, remaining(kind, seed)]).filter(([, list]) => list!.length > 0)
    expect(missed).toEqual([])
  })

  test('many seeds', { tags: ['deep'] }, () => {
    const seeds = Array.from({ length: 20 }, (_, index) => index + 100)
    const all = secretKinds.length * Object.keys(places).length * seeds.length
    const missed = secretKinds.flatMap((kind) =>
      seeds.flatMap((seed) => remaining(kind, seed).map((place) => [kind.name, place, seed])),
    )
    // Random values may look like words or numbers.
    expect(missed.length / all, JSON.stringify(missed.slice(0, 50))).toBeLessThan(0.005)
  })
})
