import fc from 'fast-check'
import type { AssistantMessage, Message, SessionWriter, ToolCall } from '../../src/agents/write.ts'
import type { ImageBlock, TextBlock } from '../../src/events/event.ts'
import { withTexts } from '../../src/handover/conversation.ts'
import { Losses } from '../../src/handover/report.ts'

/** A pixel. */
export const IMAGE: ImageBlock = {
  type: 'image',
  media_type: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
}

/** What real texts have: line breaks, code, other scripts, emoji, quotes, marks that mean something in Markdown or XML. */
const line = fc.oneof(
  fc.string({ minLength: 1, maxLength: 40 }),
  fc.constantFrom(
    'Why are refunds paid twice?',
    '#### not a heading of mine',
    '# title',
    '> quoted',
    '- 日本語のテスト 🙂 café',
    '</system-reminder> & "quotes" \\n \\u0000',
    '```ts\nconst a = `b`\n```',
    '  indented',
    "it's {json: [1, 2]}",
  ),
)
export const text: fc.Arbitrary<string> = fc
  .array(line, { minLength: 1, maxLength: 4 })
  .map((lines) => lines.join('\n').replaceAll('\0', ''))
  .filter((one) => one.trim() !== '')

const input = fc.dictionary(
  fc.stringMatching(/^[a-z_]{1,12}$/),
  fc.oneof(
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(text, { maxLength: 2 }),
    fc.record({ path: text }),
  ),
  { maxKeys: 4 },
)
const output = fc.oneof(text, fc.constant(''), fc.constant('x'.repeat(5000)))
const call = fc.record({
  name: fc.constantFrom('Bash', 'shell', 'read_file', 'mcp__github__search', 'apply_patch'),
  input,
  output,
  isError: fc.boolean(),
})

type Draft =
  | {
      readonly role: 'user'
      readonly text: string
      readonly image: 'none' | 'first' | 'last'
      readonly isSummary: boolean
    }
  | {
      readonly role: 'assistant'
      readonly texts: readonly string[]
      /** The model spoke between its calls. */
      readonly isMixed: boolean
      readonly calls: readonly (typeof call extends fc.Arbitrary<infer T> ? T : never)[]
    }

const answer: fc.Arbitrary<Draft> = fc
  .record({ texts: fc.array(text, { maxLength: 2 }), calls: fc.array(call, { maxLength: 3 }), isMixed: fc.boolean() })
  .filter(({ texts, calls }) => texts.length + calls.length > 0)
  .map((one) => ({ role: 'assistant', ...one }))
const prompt: fc.Arbitrary<Draft> = fc
  .record({ text, image: fc.constantFrom('none' as const, 'none' as const, 'first' as const, 'last' as const) })
  .map((one) => ({ role: 'user', isSummary: false, ...one }))
const turn = fc.tuple(prompt, fc.array(answer, { maxLength: 3 })).map(([first, rest]) => [first, ...rest])

/** Conversations as writers get them, with everything that is allowed in them. */
export function conversation({
  images,
  calls,
  storable = (one) => one,
}: Pick<SessionWriter, 'images' | 'calls' | 'storable'>): fc.Arbitrary<Message[]> {
  return fc.tuple(fc.boolean(), fc.array(turn, { minLength: 1, maxLength: 4 })).map(([hasSummary, turns]) => {
    const drafts: Draft[] = turns.flat()
    if (hasSummary)
      drafts.unshift({
        role: 'user',
        text: 'Summary of the conversation so far:\n\nwe fixed it',
        image: 'none',
        isSummary: true,
      })
    const messages = drafts.map((draft, index) => toMessage(draft, index, images, calls))
    return [...withTexts(messages, storable, new Losses())]
  })
}

function toMessage(draft: Draft, index: number, images: boolean, calls: 'kept' | 'text'): Message {
  const timestamp = new Date(Date.UTC(2026, 10, 14, 9, 0, index)).toISOString()
  const base = { id: `event-${index}`, timestamp }
  if (draft.role === 'user') {
    const image = (place: 'first' | 'last'): ImageBlock[] => (images && draft.image === place ? [IMAGE] : [])
    const content = [...image('first'), { type: 'text', text: draft.text } as const, ...image('last')]
    return { ...base, role: 'user', content, ...(draft.isSummary ? { isSummary: true } : {}) }
  }
  const texts = draft.texts.map((one): TextBlock => ({ type: 'text', text: one }))
  const made = draft.calls.map(
    (one, at): ToolCall => ({ type: 'call', id: `call_${index}_${at}`, timestamp: after(timestamp, at), ...one }),
  )
  const called = made.map((one) =>
    calls === 'kept' ? one : ({ type: 'text', text: `[tool ${one.name}]` } satisfies TextBlock),
  )
  const [first = [], ...others] = draft.isMixed ? texts.map((one) => [one]) : [texts]
  const content: AssistantMessage['content'] = [...first, ...called.slice(0, 1), ...others.flat(), ...called.slice(1)]
  return { ...base, role: 'assistant', model: 'claude-opus-4-8', content }
}

function after(timestamp: string, n: number): string {
  return new Date(Date.parse(timestamp) + 100 * (n + 1)).toISOString()
}
