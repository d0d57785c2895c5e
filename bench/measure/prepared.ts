// An index over a home with two writable sessions. Built once for all that need it.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { runNode } from '../child.ts'
import { type Corpus, type SessionFile, sessionFiles } from '../corpora.ts'
import { makeLinkedHome } from '../linked-home.ts'
import type { BenchContext, World } from '../types.ts'

export interface Prepared {
  readonly world: World
  readonly corpus: Corpus
  readonly middle: SessionFile
  readonly largest: SessionFile
}

const made = new WeakMap<BenchContext, Promise<Prepared>>()

export function prepared(context: BenchContext): Promise<Prepared> {
  const known = made.get(context) ?? prepare(context)
  made.set(context, known)
  return known
}

async function prepare({ program, scratch, corpora, say }: BenchContext): Promise<Prepared> {
  const corpus = corpora.get('mixed')
  const folder = scratch('prepared')
  const world = { home: join(folder, 'home'), ionHome: join(folder, 'ion') }
  const files = sessionFiles(corpus.home).sort((a, b) => a.size - b.size)
  const [middle, largest] = [files[files.length >> 1]!, files.at(-1)!]
  mkdirSync(world.home)
  makeLinkedHome(corpus.home, world.home, [middle.path, largest.path])
  say('building an index')
  await runNode(folder, [program, 'reindex', '--json'], world)
  return { world, corpus, middle, largest }
}
