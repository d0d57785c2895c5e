// One of several processes that put the same objects at the same time. Argument: the store's address. For each line of its
// standard input, a key and a tag or "new", it makes five conditional puts at once and prints how many of them won.
import { createInterface } from 'node:readline'
import { realIo } from '../../src/platform/io.ts'
import { isConflict, type PutCondition } from '../../src/replica/store/object-store.ts'
import { openStore } from '../../src/replica/store/open-store.ts'

const store = await openStore(process.argv[2]!, realIo())
console.log('ready')
for await (const line of createInterface({ input: process.stdin })) {
  const [key = '', tag = ''] = line.split(' ')
  const condition: PutCondition = tag === 'new' ? { isNew: true } : { tag }
  const puts = Array.from({ length: 5 }, async (_, index) => {
    try {
      // Never the same bytes twice: on S3 they would have the same tag.
      await store.put(key, Buffer.from(`${process.pid} ${index} ${tag}`), condition)
      return 1
    } catch (error) {
      if (isConflict(error)) return 0
      throw error
    }
  })
  console.log((await Promise.all(puts)).reduce<number>((sum, won) => sum + won, 0))
}
