import { callSummary, prettyJson } from './call-summary.ts'
import { clean, cleanLine } from './clean.ts'
import { diffText } from './diff-text.ts'
import { relativePaths } from './relative-paths.ts'

/** A block of preformatted text with the language it is in. */
export interface CodeBlock {
  readonly language: string
  readonly text: string
  /** A heading above it, where needed. */
  readonly title?: string
}

/** A tool call as shown: one line, and the details behind it. */
export interface CallView {
  readonly summary: string
  readonly blocks: readonly CodeBlock[]
}

type Fields = Readonly<Record<string, unknown>>

const beforeFields = ['old_string', 'oldString', 'old_str', 'oldText', 'old_text', 'old_content', 'before', 'search']
const afterFields = ['new_string', 'newString', 'new_str', 'newText', 'new_text', 'new_content', 'after', 'replace']
const commandFields = ['command', 'cmd', 'script']
const patchFields = ['patch', 'diff', 'input', 'patchText']
const SUMMARY_LENGTH = 110

/** `project`: paths within it are shown relative to it. */
export function viewCall(input: unknown, project?: string): CallView {
  const fields = input !== null && typeof input === 'object' && !Array.isArray(input) ? (input as Fields) : undefined
  if (!fields) {
    const text = typeof input === 'string' ? input : prettyJson(input)
    const summary = cleanLine(relativePaths(text, project), SUMMARY_LENGTH)
    return { summary, blocks: text === '' ? [] : [patchOrText(text, 'json', project)] }
  }
  const shown = new Set<string>()
  const blocks = [...editBlocks(fields, shown), ...textBlocks(fields, shown, project)]
  // Many agents begin each command with a change to the project.
  const about = relativePaths(callSummary(fields), project).replace(/^cd \.\s*&&\s*/, '')
  const summary = cleanLine(about, SUMMARY_LENGTH)
  const hasDiff = blocks.some(({ language }) => language === 'diff')
  const rest = Object.entries(fields).filter(([key, value]) => {
    // A value that the summary shows in full is not repeated.
    const isInSummary = typeof value === 'string' && relativePaths(value, project) === summary
    return !shown.has(key) && !isInSummary && !(hasDiff && isUnset(value))
  })
  if (rest.length > 0) {
    const text = relativePaths(clean(prettyJson(Object.fromEntries(rest))), project)
    blocks.unshift({ language: 'json', text })
  }
  return { summary, blocks }
}

/** What says the same as no value: above a diff it only distracts. */
function isUnset(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return value === false || value === '' || value == null
  return Object.keys(value).length === 0
}

/** Replacements as a diff. */
function editBlocks(fields: Fields, shown: Set<string>): CodeBlock[] {
  return editsOf(fields).map(({ before, after, names }) => {
    for (const name of names) shown.add(name)
    return { language: 'diff', text: clean(diffText(before, after)) }
  })
}

/** What a call replaces by what, alone or in a list, and the fields that say so. */
export function editsOf(fields: Fields): { before: string; after: string; names: readonly string[] }[] {
  const own = editOf(fields)
  if (own) return [{ before: own.before.text, after: own.after.text, names: [own.before.name, own.after.name] }]
  for (const [key, value] of Object.entries(fields)) {
    if (!Array.isArray(value) || value.length === 0) continue
    const edits = value.map((item) => editOf(item as Fields))
    if (!edits.every((edit) => edit !== undefined)) continue
    return edits.map(({ before, after }) => ({ before: before.text, after: after.text, names: [key] }))
  }
  return []
}

interface Named {
  readonly name: string
  readonly text: string
}

function editOf(fields: Fields | null): { readonly before: Named; readonly after: Named } | undefined {
  if (fields === null || typeof fields !== 'object') return undefined
  const before = firstText(fields, beforeFields)
  const after = firstText(fields, afterFields)
  return before && after ? { before, after } : undefined
}

/** A command as shell, a patch as a diff, the content of a written file unchanged. */
function textBlocks(fields: Fields, shown: Set<string>, project: string | undefined): CodeBlock[] {
  const blocks: CodeBlock[] = []
  const command = firstText(fields, commandFields)
  if (command) {
    shown.add(command.name)
    const why = fields.description
    if (typeof why === 'string') shown.add('description')
    const comment = typeof why === 'string' && why.trim() !== '' ? `# ${cleanLine(why, 200)}\n` : ''
    blocks.push({ language: 'sh', text: comment + clean(command.text) })
  }
  for (const name of ['content', 'file_text', 'contents', 'code', 'new_source', ...patchFields]) {
    const text = fields[name]
    if (typeof text !== 'string' || shown.has(name) || !(text.includes('\n') || text.length > 80)) continue
    shown.add(name)
    blocks.push(patchOrText(text, languageOf(callSummary(fields)), project))
  }
  return blocks
}

function patchOrText(text: string, language: string, project: string | undefined): CodeBlock {
  if (!isPatch(text)) return { language, text: clean(text) }
  const fileLines = /^(?:\*\*\* |diff --git |--- |\+\+\+ ).*$/gm
  return { language: 'diff', text: clean(text).replace(fileLines, (line) => relativePaths(line, project)) }
}

export function isPatch(text: string): boolean {
  return /^(?:\*\*\* Begin Patch|diff --git |--- \S|@@ )/m.test(text.slice(0, 2000))
}

function firstText(fields: Fields, names: readonly string[]): Named | undefined {
  for (const name of names) {
    const text = fields[name]
    if (typeof text === 'string') return { name, text }
  }
  return undefined
}

/** The ending of a path names the language well enough for a code block. */
function languageOf(path: string): string {
  return /\.([a-z0-9]{1,8})$/i.exec(path.trim())?.[1]?.toLowerCase() ?? ''
}
