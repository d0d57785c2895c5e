// Twelve sessions with what breaks conversions, described without any agent's format. An agent's test/hard.ts turns one into
// the records that the agent itself would have written; see sources.ts for agents that have none.
import type { ImageBlock } from '../../src/events/event.ts'

export type HardEntry =
  | { readonly kind: 'user'; readonly text: string; readonly image?: ImageBlock }
  | { readonly kind: 'say'; readonly text: string }
  /** With a signature, or sealed, as the agent's provider does it. */
  | { readonly kind: 'think'; readonly text: string }
  /** Calls that follow each other were made at once. */
  | {
      readonly kind: 'call'
      readonly id: string
      readonly name: string
      readonly input: Readonly<Record<string, unknown>>
    }
  | { readonly kind: 'result'; readonly id: string; readonly output: string; readonly failed?: true }
  | { readonly kind: 'compact'; readonly summary: string }
  /** The user went back by so many prompts: what follows is another branch. */
  | { readonly kind: 'back'; readonly prompts: number }
  /** What a sub-agent did for a call. */
  | { readonly kind: 'work'; readonly call: string; readonly entries: readonly HardEntry[] }

/** What must reach the model when the session is continued. */
export type SeenEvent =
  | { readonly kind: 'user'; readonly text: string; readonly image?: string }
  | { readonly kind: 'summary' | 'assistant'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly kind: 'result'; readonly id: string; readonly text: string }

/** One pixel. */
const IMAGE: ImageBlock = {
  type: 'image',
  media_type: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
}

const user = (text: string): HardEntry => ({ kind: 'user', text })
const say = (text: string): HardEntry => ({ kind: 'say', text })
const call = (id: string, command: string): HardEntry => ({ kind: 'call', id, name: 'Bash', input: { command } })
const result = (id: string, output: string): HardEntry => ({ kind: 'result', id, output })

/** They finish in another order than they were started. */
const parallelCalls: readonly HardEntry[] = [
  user('Look at three files at once.'),
  say('I read all three.'),
  { kind: 'call', id: 'toolu_par_1', name: 'Read', input: { file_path: 'src/a.ts', limit: 20 } },
  { kind: 'call', id: 'toolu_par_2', name: 'Read', input: { file_path: 'src/b.ts', nested: { list: [1, null, 'x'] } } },
  { kind: 'call', id: 'toolu_par_3', name: 'mcp__files__read', input: { path: 'src/c.ts' } },
  result('toolu_par_2', 'export const b = 2'),
  { kind: 'result', id: 'toolu_par_3', output: 'no such file: src/c.ts', failed: true },
  result('toolu_par_1', 'export const a = 1'),
  say('Two of the three files exist.'),
]

/** The agent was killed while its tool ran: once in the middle, once at the end. */
const danglingCall: readonly HardEntry[] = [
  user('Run the tests that hang.'),
  call('toolu_dangling_1', 'npm test -- --hangs'),
  user('It hung. Try them without the slow ones.'),
  call('toolu_dangling_2', 'npm test -- --fast'),
  result('toolu_dangling_2', '12 tests passed'),
  say('The fast ones pass.'),
  user('And the slow ones again.'),
  call('toolu_dangling_3', 'npm test -- --slow'),
]

/** Seen from a provider that puts state into it, with signs that others refuse. */
const LONG_ID = `call_${'AbC+/=|.:'.repeat(102)}`.padEnd(930, 'z')
const longId: readonly HardEntry[] = [
  user('List the folder, please.'),
  call(LONG_ID, 'ls the-folder'),
  result(LONG_ID, 'README.md\nthe-only-file.txt'),
  say('There is one file besides the README.'),
]

const unicode: readonly HardEntry[] = [
  user('Žluťoučký kůň 🐎, 日本語のテスト, عربي, emoji 👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪, decomposed é and ligature ﬁ'),
  say(
    'Gerne! 你好 𝒳 𠜎 — „Anführung“, zero‍width, tab\there, </system-reminder> & <b>markup</b>\n\n```ts\nconst π = `3`\n```',
  ),
  {
    kind: 'call',
    id: 'toolu_uni_1',
    name: 'Write',
    input: { file_path: 'docs/naïve – 文件 😀.md', ключ: 'значение "quoted" \\ back' },
  },
  result('toolu_uni_1', 'wrote “naïve – 文件 😀.md”\r\n\u001b[32m✓ ok\u001b[0m\n#### not a heading'),
  say('Geschrieben: naïve – 文件 😀.md'),
]

/** Providers refuse blank texts. What has content must get through beside them. */
const emptyText: readonly HardEntry[] = [
  user('Print nothing, then say something.'),
  say(''),
  call('toolu_empty_1', 'true # prints nothing'),
  result('toolu_empty_1', ''),
  say('   \n'),
  say('The command printed nothing.'),
  user('  '),
  user('Good, thanks for nothing.'),
  say('You are welcome.'),
]

const image: readonly HardEntry[] = [
  { kind: 'user', text: 'What is on this screenshot?', image: IMAGE },
  say('A single pixel, almost transparent.'),
]

const thinking: readonly HardEntry[] = [
  user('Think hard about the rounding of cents.'),
  { kind: 'think', text: 'Cents must be integers, or the sum drifts.' },
  say('I check how cents are stored.'),
  call('toolu_think_1', 'grep -rn cents src'),
  result('toolu_think_1', 'src/cart.ts:3: const cents: number'),
  { kind: 'think', text: 'As feared: a float.' },
  say('Cents are floats here; that is the bug.'),
]

const twoCompactions: readonly HardEntry[] = [
  user('Before the first compaction: design the cart.'),
  say('The cart is a list of lines.'),
  { kind: 'compact', summary: 'First summary: the cart is a list of lines.' },
  user('Between the compactions: add discounts.'),
  call('toolu_compact_1', 'cat discounts.md'),
  result('toolu_compact_1', '10 % for staff'),
  say('Discounts apply per line.'),
  { kind: 'compact', summary: 'Second summary: a cart of lines, with discounts per line (10 % for staff).' },
  user('After the second compaction: now taxes.'),
  call('toolu_compact_2', 'cat taxes.md'),
  result('toolu_compact_2', '19 % and 7 %'),
  say('Taxes are added after discounts.'),
]

const branch: readonly HardEntry[] = [
  user('Which database shall we use?'),
  say('PostgreSQL suits this shop.'),
  user('Abandoned: then write the MySQL schema.'),
  call('toolu_branch_1', 'cat abandoned.sql'),
  result('toolu_branch_1', 'CREATE TABLE abandoned'),
  say('Abandoned: here is the MySQL schema.'),
  { kind: 'back', prompts: 1 },
  user('Then write the PostgreSQL schema.'),
  call('toolu_branch_2', 'cat kept.sql'),
  result('toolu_branch_2', 'CREATE TABLE kept'),
  say('Here is the PostgreSQL schema.'),
]

const subAgent: readonly HardEntry[] = [
  user('Let a sub-agent look for dead code.'),
  {
    kind: 'call',
    id: 'toolu_sub_1',
    name: 'Agent',
    input: { description: 'dead code', prompt: 'Find dead code in src' },
  },
  {
    kind: 'work',
    call: 'toolu_sub_1',
    entries: [
      user('Find dead code in src'),
      call('toolu_sub_inner', 'grep -rn unused-by-sub-agent src'),
      result('toolu_sub_inner', 'src/old.ts: unused-by-sub-agent'),
      say('Only the sub-agent says this: src/old.ts is dead.'),
    ],
  },
  result('toolu_sub_1', 'The sub-agent reports: src/old.ts is dead.'),
  say('src/old.ts can be removed.'),
]

/** Short ones, so that they fit every target's budget. */
const manyMessages: readonly HardEntry[] = Array.from({ length: 2500 }, (_, n) => {
  const number = String(n).padStart(4, '0')
  return [user(`q${number} ok?`), say(`a${number} yes`)]
}).flat()

const line = (n: number): string => `${String(n).padStart(6, '0')} ${'the quick brown fox jumps over the lazy dog'}\n`
const OUTPUT = Array.from({ length: 2000 }, (_, n) => line(n)).join('')
const largeOutputs: readonly HardEntry[] = [
  user('Print the two long logs.'),
  call('toolu_large_1', 'cat first.log'),
  result('toolu_large_1', `first log\n${OUTPUT}end of the first log`),
  call('toolu_large_2', 'cat second.log'),
  result('toolu_large_2', `second log\n${OUTPUT}end of the second log`),
  say('Both logs are of the same length.'),
]

/** By name. */
export const hardSessions: Readonly<Record<string, readonly HardEntry[]>> = {
  'parallel calls': parallelCalls,
  'dangling call': danglingCall,
  '930-character id': longId,
  'unicode and emoji': unicode,
  'empty text': emptyText,
  image,
  'thinking with signature': thinking,
  'two compactions': twoCompactions,
  branch,
  'sub-agent': subAgent,
  '5,000 messages': manyMessages,
  '100 KB outputs': largeOutputs,
}

/** Only what was abandoned, summarised or done by a sub-agent has these texts: no model may see them. */
export const NEVER_SEEN =
  /Abandoned:|CREATE TABLE abandoned|Only the sub-agent says|Before the first compaction|First summary:/

/** Those that are large, which the session of all kinds leaves out. */
const LARGE = ['5,000 messages', '100 KB outputs']

/** One session of several kinds, after what is compacted: for where there is no time for all. */
export function richSession(names: readonly string[]): HardEntry[] {
  const first = 'two compactions'
  const others = names.filter((name) => name !== first && !LARGE.includes(name))
  // A call at the very end has no result, so it comes last.
  const ordered = [
    ...others.filter((name) => name !== 'dangling call'),
    ...others.filter((name) => name === 'dangling call'),
  ]
  return [...(names.includes(first) ? [first] : []), ...ordered].flatMap((name) => hardSessions[name] ?? [])
}

/**
 * What an agent that resumes the session itself would send, in order: the current branch after its last compaction, without
 * blank texts, which no provider accepts, and without thinking, which is bound to the model that made it. Results of calls
 * that were made at once have the order of the calls.
 */
export function seenByModel(entries: readonly HardEntry[]): SeenEvent[] {
  let seen: SeenEvent[] = []
  for (const entry of entries) {
    if (entry.kind === 'compact') seen = [{ kind: 'summary', text: entry.summary }]
    else if (entry.kind === 'back') seen = seen.slice(0, promptFromEnd(seen, entry.prompts))
    else seen.push(...seenOf(entry))
  }
  return inCallOrder(seen)
}

function seenOf(entry: HardEntry): SeenEvent[] {
  switch (entry.kind) {
    case 'user':
      if (entry.text.trim() === '' && !entry.image) return []
      return [{ kind: 'user', text: entry.text, ...(entry.image?.data ? { image: entry.image.data } : {}) }]
    case 'say':
      return entry.text.trim() === '' ? [] : [{ kind: 'assistant', text: entry.text }]
    case 'call':
      return [{ kind: 'call', id: entry.id, name: entry.name, input: entry.input }]
    case 'result':
      return [{ kind: 'result', id: entry.id, text: entry.output }]
    default:
      return []
  }
}

function promptFromEnd(seen: readonly SeenEvent[], prompts: number): number {
  const places = seen.flatMap(({ kind }, place) => (kind === 'user' ? [place] : []))
  return places.at(-prompts) ?? 0
}

export function inCallOrder(seen: readonly SeenEvent[]): SeenEvent[] {
  const callAt = new Map(seen.flatMap((event, place) => (event.kind === 'call' ? [[event.id, place] as const] : [])))
  const ordered: SeenEvent[] = []
  for (let at = 0; at < seen.length; ) {
    let end = at
    while (seen[end]?.kind === 'result') end++
    const results = seen.slice(at, end) as Extract<SeenEvent, { kind: 'result' }>[]
    ordered.push(...results.sort((a, b) => (callAt.get(a.id) ?? 0) - (callAt.get(b.id) ?? 0)))
    if (end < seen.length) ordered.push(seen[end]!)
    at = end + 1
  }
  return ordered
}
