import type { IonEvent } from '../events/schema.ts'
import { contentText } from '../events/text.ts'
import { BranchFinder } from './branch.ts'
import { editsOf, isPatch } from './call-view.ts'
import { diffText } from './diff-text.ts'

/** What one event of a session changed in one file, as far as the transcript says. */
export interface FileChange {
  /** As the agent wrote it. */
  readonly path: string
  /** `write`: the whole file; what it was before is not known. */
  readonly kind: 'edit' | 'write' | 'delete'
  /** Unified, without a file header. */
  readonly diff: string
  readonly added: number
  readonly removed: number
}

type Fields = Readonly<Record<string, unknown>>

const pathFields = [
  'file_path', 'filePath', 'path', 'target_file', 'notebook_path', 'absolute_path', 'relative_workspace_path',
  'filename', 'file', 'fileName',
] // biome-ignore format: a list
const contentFields = ['content', 'file_text', 'contents', 'fileText', 'new_source', 'file_content', 'text']
/** Names of tools that write a whole file: others have such fields, too. */
const WRITES = /write|create|save/i

/** Of a tool call, or of an answer that edits files itself. Empty if it changes none. */
export function fileChanges(event: IonEvent): readonly FileChange[] {
  if (event.type === 'assistant') return blocksIn(contentText(event.content))
  if (event.type !== 'tool_use') return []
  const { input, name } = event
  const fields = input !== null && typeof input === 'object' && !Array.isArray(input) ? (input as Fields) : {}
  const path = textOf(fields, pathFields)
  const edits = path === undefined ? [] : editsOf(fields)
  if (path !== undefined && edits.length > 0) {
    return [change(path, 'edit', edits.map(({ before, after }) => diffText(before, after)).join('\n'))]
  }
  const content = path !== undefined && WRITES.test(name) ? textOf(fields, contentFields) : undefined
  if (path !== undefined && content !== undefined) return [change(path, 'write', diffText('', content))]
  const patch = patchIn(input)
  return patch === undefined ? [] : patchChanges(patch)
}

function change(path: string, kind: FileChange['kind'], diff: string): FileChange {
  const count = (mark: string): number => diff.split('\n').filter((line) => line.startsWith(mark)).length
  return { path, kind, diff, added: count('+'), removed: count('-') }
}

function textOf(fields: Fields, names: readonly string[]): string | undefined {
  for (const name of names) if (typeof fields[name] === 'string') return fields[name]
  return undefined
}

/** A patch is a value of its own, or within a command. */
function patchIn(input: unknown, depth = 0): string | undefined {
  if (typeof input === 'string') return input.includes('*** Begin Patch') || isPatch(input) ? input : undefined
  if (input === null || typeof input !== 'object' || depth > 3) return undefined
  for (const value of Object.values(input)) {
    const found = patchIn(value, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

const PATCH_FILE = /^(?:\*\*\* (Add|Update|Delete) File: (.+)|diff --git a\/\S+ b\/(.+)|\+\+\+ (?:b\/)?(.+))$/
/** Between files, and around the whole. */
const PATCH_FRAME = /^(?:\*\*\* |diff --git |index |--- |new file mode |deleted file mode |EOF$|PATCH$)/

function patchChanges(patch: string): FileChange[] {
  const files: { path: string; kind: FileChange['kind']; lines: string[] }[] = []
  const body = patch.slice(Math.max(0, patch.indexOf('*** Begin Patch')))
  for (const line of body.split('\n')) {
    const [, verb, own, git, plus] = PATCH_FILE.exec(line) ?? []
    const path = (own ?? git ?? plus)?.trim()
    if (line.startsWith('*** End Patch')) break
    if (path === undefined) {
      if (!PATCH_FRAME.test(line)) files.at(-1)?.lines.push(line)
    } else if (path !== '/dev/null' && files.at(-1)?.path !== path) {
      files.push({ path, kind: verb === 'Add' ? 'write' : verb === 'Delete' ? 'delete' : 'edit', lines: [] })
    }
  }
  return files.map(({ path, kind, lines }) => change(path, kind, lines.join('\n').replace(/\n+$/, '')))
}

const BLOCK = /^(\S[^\n]*)\n(?:```[^\n]*\n)?<{5,9} SEARCH\n([\s\S]*?)^={5,9}\n([\s\S]*?)^>{5,9} REPLACE/gm

/** Edits that are written into the answer: the path, then what is replaced by what. */
function blocksIn(text: string): FileChange[] {
  if (!text.includes(' SEARCH\n')) return []
  return [...text.matchAll(BLOCK)].map(([, path, before, after]) =>
    change(path!.trim(), before === '' ? 'write' : 'edit', diffText(before!, after!)),
  )
}

/** A change with its place in the session. */
export interface SessionChange extends FileChange {
  readonly event: string
  /** The number of the prompt that it followed on the main branch, as `ion show` counts; null on a branch that was left. */
  readonly turn: number | null
  readonly timestamp: string
}

export interface SessionChanges {
  readonly changes: readonly SessionChange[]
  /** The turns of the main branch. */
  readonly turns: number
}

interface Placed extends Omit<SessionChange, 'turn'> {
  readonly place: number
  /** Of all branches, how many there were before it. */
  readonly prompts: number
}

/** What a session changed, without calls that failed, in the order in which their results came. */
export function sessionChanges(events: Iterable<IonEvent>): SessionChanges {
  const branches = new BranchFinder()
  const prompts: number[] = []
  const waiting = new Map<string, Placed[]>()
  const found: Placed[] = []
  let place = -1
  for (const event of events) {
    place++
    branches.add(event)
    if (event.type === 'user') prompts.push(place)
    if (event.type === 'tool_result') {
      const done = waiting.get(event.tool_use_id) ?? []
      waiting.delete(event.tool_use_id)
      if (!event.is_error) found.push(...done)
      continue
    }
    const { id, timestamp } = event
    const changes = fileChanges(event).map((one) => ({ ...one, event: id, timestamp, place, prompts: prompts.length }))
    if (event.type === 'tool_use' && changes.length > 0) waiting.set(id, changes)
    else found.push(...changes)
  }
  found.push(...[...waiting.values()].flat())
  const { isMain } = branches.finish()
  const turns = [0]
  for (const prompt of prompts) turns.push(turns.at(-1)! + (isMain(prompt) ? 1 : 0))
  return {
    changes: found.map(({ place, prompts, ...change }) => ({
      ...change,
      turn: isMain(place) ? turns[prompts]! : null,
    })),
    turns: turns.at(-1)!,
  }
}
