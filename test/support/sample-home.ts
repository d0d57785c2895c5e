import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Io } from '../../src/platform/io.ts'
import { copyTree, scratchIo } from './scratch.ts'

const samples = fileURLToPath(new URL('../../samples', import.meta.url))

/** An Io whose home has sessions of every agent: the bundled samples. */
export function sampleIo(): Io {
  const io = scratchIo()
  fillWithSamples(io.home)
  return io
}

export function fillWithSamples(home: string): void {
  for (const entry of readdirSync(samples, { withFileTypes: true })) {
    if (entry.isDirectory()) copyTree(join(samples, entry.name), home)
  }
}
