import { type Item, isProblem, type Problem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { type ReadContext, readContext } from '../../native/read-context.ts'
import { type Keyed, translate } from '../../native/translate.ts'
import { type Block, readBlocks } from './blocks.ts'
import { conversationsOf } from './conversations.ts'
import { unescapeAnswer } from './escape.ts'
import { writtenBytes } from './paths.ts'
import { createTranslator } from './records.ts'

export function read(head: SessionHead, reading: ReadContext): Generator<Item> {
  return translate(head, conversationBlocks(head, reading), createTranslator(), reading)
}

function* conversationBlocks(head: SessionHead, reading: ReadContext): Generator<Keyed<Block> | Problem> {
  // With a separate context, so that nothing is counted twice.
  const conversation = conversationsOf(head.path, readContext(reading.io)).conversations.find(
    ({ native }) => native === head.native_id,
  )
  if (!conversation) {
    yield { code: 'missing', problem: 'the run is no longer in the file', path: head.path }
    return
  }
  const written = writtenBytes(head.path)
  for (const block of readBlocks(head.path, reading, conversation.offset)) {
    if (isProblem(block)) {
      yield block
      continue
    }
    const { kind, text, span } = block
    if (span.offset >= conversation.end) return
    const isEscaped = kind === 'answer' && span.offset < written
    yield { record: isEscaped ? { ...block, text: unescapeAnswer(text) } : block, key: `@${span.offset}`, span }
  }
}
