import { callSummary, prettyJson } from './call-summary.ts'
import { clean, cleanLine } from './clean.ts'
import { diffText } from './diff-text.ts'

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

export function viewCall(input: unknown): CallView {
  const fields = input !== null && typeof input === 'object' && !Array.isArray(input) ? (input as Fields) : undefined
  if (!fields) {
    const text = typeof input === 'string' ? input : prettyJson(input)
    return { summary: cleanLine(text, SUMMARY_LENGTH), blocks: text === '' ? [] : [patchOrText(text, 'json')] }
  }
  const shown = new Set<string>()
  const blocks = [...editBlocks(fields, shown), ...textBlocks(fields, shown)]
  const summary = cleanLine(callSummary(fields), SUMMARY_LENGTH)
  // A value that the summary shows in full is not repeated.
  const rest = Object.entries(fields).filter(([key, value]) => !shown.has(key) && value !== summary)
  if (rest.length > 0) blocks.unshift({ language: 'json', text: clean(prettyJson(Object.fromEntries(rest))) })
  return { summary, blocks }
}

/** Replacements, alone or in a list, as a diff. */
function editBlocks(fields: Fields, shown: Set<string>): CodeBlock[] {
  const own = editOf(fields)
  if (own) {
    for (const name of [own.before.name, own.after.name]) shown.add(name)
    return [{ language: 'diff', text: clean(diffText(own.before.text, own.after.text)) }]
  }
  for (const [key, value] of Object.entries(fields)) {
    if (!Array.isArray(value) || value.length === 0) continue
    const edits = value.map((item) => editOf(item as Fields))
    if (!edits.every((edit) => edit !== undefined)) continue
    shown.add(key)
    return edits.map((edit) => ({ language: 'diff', text: clean(diffText(edit.before.text, edit.after.text)) }))
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
function textBlocks(fields: Fields, shown: Set<string>): CodeBlock[] {
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
    blocks.push(patchOrText(text, languageOf(callSummary(fields))))
  }
  return blocks
}

function patchOrText(text: string, language: string): CodeBlock {
  const isPatch = /^(?:\*\*\* Begin Patch|diff --git |--- \S|@@ )/m.test(text.slice(0, 2000))
  return { language: isPatch ? 'diff' : language, text: clean(text) }
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
