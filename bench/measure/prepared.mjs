// A catalogue with all text, over a home in which two sessions can be written to. Built once for all who need it.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { runNode } from '../child.mjs'
import { sessionFiles } from '../corpora.mjs'
import { makeLinkedHome } from '../linked-home.mjs'

const made = new WeakMap()

export function prepared(context) {
  if (!made.has(context)) made.set(context, prepare(context))
  return made.get(context)
}

async function prepare({ program, scratch, corpora, say }) {
  const corpus = corpora.get('mixed')
  const folder = scratch('prepared')
  const world = { home: join(folder, 'home'), ionHome: join(folder, 'ion') }
  const files = sessionFiles(corpus.home).sort((a, b) => a.size - b.size)
  const [middle, largest] = [files[files.length >> 1], files.at(-1)]
  mkdirSync(world.home)
  makeLinkedHome(corpus.home, world.home, [middle.path, largest.path])
  say('building a catalogue with all text')
  await runNode(folder, [program, 'reindex', '--json'], world)
  return { world, corpus, middle, largest }
}
