// Some 30,000 made-up words and identifiers, the most frequent first: the same in every corpus.
import { bits } from './random.ts'

export const syllables: readonly string[] =
  'ba con de er fi get han in jo key lo map node out par que re set tok use val wri xe yi zo api buf ctx db err fn gen http idx job log msg net obj pro row str tmp url var web'.split(
    ' ',
  )

const frequent =
  'the to a of in is and for const return this import from if function await async error file test value type string number null new not with we let it that be on as run build should fix line'.split(
    ' ',
  )

const SIZE = 30_000

export const vocabulary: readonly string[] = makeVocabulary()

function makeVocabulary(): string[] {
  const next = bits(77)
  const words = new Set(frequent)
  while (words.size < SIZE) {
    let word = ''
    const parts = 2 + (next() % 3)
    for (let i = 0; i < parts; i++) {
      const part = syllables[next() % syllables.length]!
      word += i && (next() & 3) === 0 ? part[0]!.toUpperCase() + part.slice(1) : part
    }
    words.add(word)
  }
  return [...words]
}
