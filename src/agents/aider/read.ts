import { type Item, isProblem, type Problem } from '../../events/item.ts'
import type { SessionHead } from '../../events/session.ts'
import { type Reading, startReading } from '../../native/reading.ts'
import { type Keyed, translate } from '../../native/translate.ts'
import { type Block, readBlocks } from './blocks.ts'
import { createTranslator } from './records.ts'
import { runsOf } from './runs.ts'

export function read(head: SessionHead, reading: Reading): Generator<Item> {
  return translate(head, runBlocks(head, reading), createTranslator(head.created_at), reading)
}

function* runBlocks(head: SessionHead, reading: Reading): Generator<Keyed<Block> | Problem> {
  // Finding the run is not reading it: what it counts does not count twice.
  const run = runsOf(head.path, startReading(reading.io)).runs.find(({ native }) => native === head.native_id)
  if (!run) {
    yield { problem: 'the run is no longer in the file', path: head.path }
    return
  }
  let begun = false
  for (const block of readBlocks(head.path, reading, run.offset)) {
    if (isProblem(block)) {
      yield block
      continue
    }
    // The next run's heading ends this one.
    if (block.kind === 'heading' && begun) return
    begun = true
    yield { record: block, key: `@${block.span.offset}`, span: block.span }
  }
}
