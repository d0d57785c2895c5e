import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** How far the heap may grow beyond what is in use before it is collected. */
const SLACK = 32e6
const CHECK_INTERVAL = 128

/**
 * Passes the values on and keeps the heap small meanwhile: by default V8 lets the garbage of a long stream grow to
 * several times what is in use, and Ion often shares a small workspace with the agents.
 */
export function* limitHeap<T>(values: Iterable<T>): Generator<T> {
  let collect: (() => void) | undefined
  let floor = getHeapStatistics().used_heap_size
  let count = 0
  for (const value of values) {
    yield value
    if (++count % CHECK_INTERVAL !== 0) continue
    const used = getHeapStatistics().used_heap_size
    if (used < floor) floor = used
    if (used < floor + SLACK) continue
    collect ??= collector()
    collect()
    floor = getHeapStatistics().used_heap_size
  }
}

function collector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}
