// Trees of sessions as two agents write them, made from a seed. Exact totals go to corpus.json, so that a reader can be
// checked: whoever counts other numbers has not read it all.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeClaude } from './claude.mjs'
import { writeCodex } from './codex.mjs'
import { makeRandom } from './random.mjs'
import { makeText } from './text.mjs'
import { syllables, vocabulary } from './vocabulary.mjs'

const BASE = Date.UTC(2025, 0, 6, 8, 0, 0)
const DAYS = 300
/** Of all sessions; the others are of the second agent. */
const CLAUDE_SHARE = 0.65
/** Of the bytes of a corpus, in a few very large files. */
const LARGE_SHARE = 0.35

/** `megabytes` of sessions of all sizes below `out`. `args` are noted with the totals. */
export function writeCorpus(out, megabytes, seed, args) {
  const world = makeWorld(seed)
  const target = megabytes * 1e6
  let bytes = 0
  for (const size of largeSizes(target)) bytes += writeSession(world, out, size)
  while (bytes < target) {
    const size = Math.min(Math.max(world.random.size(90e3, 1.5), 1500), 8e6)
    bytes += writeSession(world, out, size)
  }
  return finish(world, out, seed, args)
}

/** So many sessions of about 2 KB. */
export function writeTinyCorpus(out, sessions, seed, args) {
  const world = makeWorld(seed)
  for (let i = 0; i < sessions; i++) writeSession(world, out, 1e9, true)
  return finish(world, out, seed, args)
}

/** One single session in one file. */
export function writeOneFile(path, megabytes, seed) {
  const world = makeWorld(seed)
  writeClaude(world, path, megabytes * 1e6, BASE)
  return world.totals
}

function makeWorld(seed) {
  const random = makeRandom(seed)
  const totals = emptyTotals()
  const text = makeText(random, totals)
  const projects = []
  for (let i = 0; i < 60; i++) {
    const name = random.pick(vocabulary.slice(200, 4000)).toLowerCase()
    projects.push(`/home/dev/src/${name}-${random.pick(syllables)}`)
  }
  return { random, text, totals, projects }
}

/** A geometric series: the largest has half of the share. */
function largeSizes(target) {
  const sizes = []
  let left = target * LARGE_SHARE
  let size = left / 2
  while (left > 4e6 && sizes.length < 12) {
    sizes.push(size)
    left -= size
    size = Math.max(left / 2, 2e6)
  }
  return sizes
}

function writeSession(world, out, size, tiny = false) {
  const { fraction, pick, uuid } = world.random
  const when = () => BASE + Math.floor(fraction() * DAYS * 86400e3)
  if (fraction() < CLAUDE_SHARE) {
    const project = pick(world.projects).replace(/[^a-zA-Z0-9]/g, '-')
    const path = join(out, '.claude', 'projects', project, `${uuid()}.jsonl`)
    return writeClaude(world, path, size, when(), tiny)
  }
  const time = when()
  const id = uuid()
  return writeCodex(world, codexPath(out, time, id), size, time, id, tiny)
}

function codexPath(out, time, id) {
  const date = new Date(time).toISOString()
  const folder = join(out, '.codex', 'sessions', date.slice(0, 4), date.slice(5, 7), date.slice(8, 10))
  return join(folder, `rollout-${date.slice(0, 19).replace(/:/g, '-')}-${id}.jsonl`)
}

function finish({ totals }, out, seed, args) {
  writeFileSync(join(out, 'corpus.json'), JSON.stringify({ seed, args, ...totals }, null, 1))
  return totals
}

function emptyTotals() {
  const files = { files: 0, lines: 0, bytes: 0 }
  return {
    ...files,
    claude: {
      ...files,
      sessions: 0,
      assistantMessages: 0,
      input_tokens: 0,
      output_tokens: 0,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    },
    codex: {
      ...files,
      sessions: 0,
      input_tokens: 0,
      cached_input_tokens: 0,
      output_tokens: 0,
      reasoning_output_tokens: 0,
      total_tokens: 0,
    },
    needle: 0,
  }
}
