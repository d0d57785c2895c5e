import type { Block, Content, ModelCall, TokenUsage } from '../events/schema.ts'
import { asCount, asString } from './narrow.ts'
import type { Draft } from './sequencer.ts'

/** One text as a string, anything else as blocks. */
export function toContent(blocks: readonly Block[]): Content {
  const [first, ...more] = blocks
  return first?.type === 'text' && more.length === 0 ? first.text : [...blocks]
}

export function imageBlock(media_type: unknown, data: unknown): Block {
  const bytes = asString(data)
  return { type: 'image', media_type: asString(media_type) ?? null, ...(bytes ? { data: bytes } : {}) }
}

/** The events of a message made of items: neighbouring blocks become one event, every other item one or more. */
export function groupBlocks<T>(
  items: Iterable<T>,
  blockOf: (item: T) => Block | undefined,
  toMessage: (blocks: Block[]) => Draft,
  draftsOf: (item: T) => Draft | readonly Draft[],
): Draft[] {
  const drafts: Draft[] = []
  let blocks: Block[] = []
  const flush = (): void => {
    if (blocks.length) drafts.push(toMessage(blocks))
    blocks = []
  }
  for (const item of items) {
    const block = blockOf(item)
    if (block) {
      blocks.push(block)
      continue
    }
    flush()
    drafts.push(...[draftsOf(item)].flat())
  }
  flush()
  return drafts
}

/** For `groupBlocks` where all blocks are texts: they are joined by newlines. */
export function textMessage(role: 'user' | 'assistant'): (blocks: readonly Block[]) => Draft {
  return (blocks) => {
    const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
    return role === 'user' ? { type: 'user', content: text } : { type: 'assistant', content: [{ type: 'text', text }] }
  }
}

/** What is known about a message as a whole is on its first event. */
export function onFirst(
  drafts: readonly Draft[],
  model: string | undefined,
  token_usage?: TokenUsage,
  call?: ModelCall,
): Draft[] {
  const [first, ...rest] = drafts
  if (!first) return []
  const usage = token_usage ? { token_usage, ...(call ? { call } : {}) } : {}
  return [{ ...first, ...(model ? { model } : {}), ...usage }, ...rest]
}

type Counts = Readonly<Record<string, unknown>>
type UsageNames = Readonly<Partial<Record<keyof TokenUsage, string>>>

/** Token counts by the agent's names for them; those without a name are 0. */
export function tokenUsage(counts: Counts, names: UsageNames): TokenUsage {
  const count = (name: keyof TokenUsage): number => asCount(counts[names[name] ?? '']) ?? 0
  return {
    input: count('input'),
    output: count('output'),
    cache_read: count('cache_read'),
    cache_write: count('cache_write'),
    reasoning: count('reasoning'),
  }
}

/** For agents whose input includes what was read from and written to the cache. */
export function withoutCache(usage: TokenUsage): TokenUsage {
  return { ...usage, input: Math.max(0, usage.input - usage.cache_read - usage.cache_write) }
}
