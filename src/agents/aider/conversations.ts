import { isProblem, type Problem } from '../../events/item.ts'
import { titleFrom } from '../../events/session.ts'
import type { ReadContext } from '../../native/read-context.ts'
import { stampOf } from '../../native/walk.ts'
import { readBlocks } from './blocks.ts'
import { ownSession } from './paths.ts'
import { isBlankPrompt, modelIn, RESTORED, versionIn } from './records.ts'

/** A conversation: one start of aider, and the later ones that restored it. */
export interface Conversation {
  /** Local time, as in the first heading; undefined for what precedes the first heading. */
  readonly started: string | undefined
  /** `<file>#<start>`, since aider has no ids; for a file that Ion named, the UUID in its path. */
  readonly native: string
  readonly offset: number
  end: number
  /** First line of the first prompt that is not a command, else of the first command. */
  title: string | null
  prompts: number
  model: string | null
  version: string | null
}

/** From a heading to the next. */
interface Run extends Conversation {
  /** It began by reading what is above it. */
  restored: boolean
}

export interface Conversations {
  readonly conversations: readonly Conversation[]
  readonly problems: readonly Problem[]
}

/** The last file that was read: listing and reading its conversations one by one must not read it each time. */
let last: { readonly key: string; readonly found: Conversations } | undefined

/** All conversations of a file in order, including empty ones. Reads the file once for each state of it. */
export function conversationsOf(path: string, reading: ReadContext): Conversations {
  const stamp = stampOf(path)
  const key = JSON.stringify(stamp ?? null)
  if (stamp && last?.key === key) return last.found
  const { runs, problems } = findRuns(path, reading)
  const own = ownSession(path)
  const found = { conversations: own === undefined ? joined(runs) : whole(own, runs), problems }
  if (found.problems.length === 0) last = { key, found }
  return found
}

/** A run that restored continues what is above it. */
function joined(runs: readonly Run[]): Conversation[] {
  const conversations: Conversation[] = []
  for (const run of runs) {
    const above = conversations.findLast(({ prompts }) => prompts > 0)
    if (run.restored && above) extend(above, run)
    else conversations.push(run)
  }
  return conversations
}

/** A file of one task is one conversation, whatever was restored. */
function whole(native: string, runs: readonly Run[]): Conversation[] {
  const [first, ...others] = runs
  if (!first) return []
  const conversation = { ...first, native }
  for (const run of others) extend(conversation, run)
  return [conversation]
}

function extend(conversation: Conversation, run: Run): void {
  conversation.end = run.end
  conversation.prompts += run.prompts
  conversation.title ??= run.title
  conversation.model = run.model ?? conversation.model
  conversation.version = run.version ?? conversation.version
}

function findRuns(path: string, reading: ReadContext): { runs: Run[]; problems: Problem[] } {
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
