import type { Draft } from './sequencer.ts'

/** The events of a message made of blocks: neighbouring texts are one event, every other block is one of its own. */
export function groupBlocks<B>(
  blocks: Iterable<B>,
  role: 'user' | 'assistant',
  textOf: (block: B) => string | undefined,
  draftOf: (block: B) => Draft,
): Draft[] {
  const drafts: Draft[] = []
  let said: string[] = []
  const flush = (): void => {
    const text = said.join('\n')
    if (said.length && role === 'user') drafts.push({ type: 'user', content: text })
    else if (said.length) drafts.push({ type: 'assistant', content: [{ type: 'text', text }] })
    said = []
  }
  for (const block of blocks) {
    const text = textOf(block)
    if (text !== undefined) {
      said.push(text)
      continue
    }
    flush()
    drafts.push(draftOf(block))
  }
  flush()
  return drafts
}
