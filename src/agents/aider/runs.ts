import { isProblem, type Problem } from '../../events/item.ts'
import { titleFrom } from '../../events/session.ts'
import type { Reading } from '../../native/reading.ts'
import { stampOf } from '../../native/walk.ts'
import { readBlocks } from './blocks.ts'
import { isBlankPrompt, modelIn, RESTORED, versionIn } from './records.ts'

/** One start of aider, from its heading to the next. */
export interface Run {
  /** As in the heading, local time; undefined for what stands before the first heading. */
  readonly started: string | undefined
  /** `<file>#<start>`: aider has no ids. */
  readonly native: string
  readonly offset: number
  end: number
  /** First line of the first prompt that is no command, else of the first command. */
  title: string | null
  prompts: number
  model: string | null
  version: string | null
  /** It began by reading what stands above it. */
  restored: boolean
}

export interface Runs {
  readonly runs: readonly Run[]
  readonly problems: readonly Problem[]
}

/** The last file that was walked: listing and reading its runs one by one must not walk it each time. */
let last: { readonly key: string; readonly found: Runs } | undefined

/** All runs of a file, in its order. Walks the whole file once for each state of it. */
export function runsOf(path: string, reading: Reading): Runs {
  const stamp = stampOf(path)
  const key = JSON.stringify(stamp ?? null)
  if (stamp && last?.key === key) return last.found
  const found = findRuns(path, reading)
  if (found.problems.length === 0) last = { key, found }
  return found
}

function findRuns(path: string, reading: Reading): Runs {
  const runs: Run[] = []
  const problems: Problem[] = []
  const starts = new Map<string, number>()
  const begin = (started: string | undefined, offset: number): Run => {
    const start = started?.replace(' ', 'T') ?? '0'
    const times = (starts.get(start) ?? 0) + 1
    starts.set(start, times)
    const native = `${path}#${start}${times > 1 ? `~${times}` : ''}`
    const run = {
      started,
      native,
      offset,
      end: offset,
      title: null,
      prompts: 0,
      model: null,
      version: null,
      restored: false,
    }
    runs.push(run)
    return run
  }
  for (const block of readBlocks(path, reading)) {
    if (isProblem(block)) {
      problems.push(block)
      continue
    }
    const { kind, text, span } = block
    const run = kind === 'heading' ? begin(text, span.offset) : (runs.at(-1) ?? begin(undefined, 0))
    run.end = span.offset + span.length
    if (kind === 'prompt' && !isBlankPrompt(text)) {
      if (run.title === null || (run.title.startsWith('/') && !text.startsWith('/'))) run.title = titleFrom(text)
      run.prompts++
    } else if (kind === 'notice') {
      run.model ??= modelIn(text) ?? null
      run.version ??= versionIn(text) ?? null
      run.restored ||= run.prompts === 0 && text === RESTORED
    }
  }
  return { runs, problems }
}
