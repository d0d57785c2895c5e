import { clean, cleanLine } from './clean.ts'
import { diffText } from './diff-text.ts'

/** A block of preformatted text with the language it is in. */
export interface CodeBlock {
  readonly language: string
  readonly text: string
  /** What stands above it, where that is not plain. */
  readonly title?: string
}

/** A tool call as it is shown: one line, and what is behind it. */
export interface CallView {
  readonly summary: string
  readonly blocks: readonly CodeBlock[]
}

type Fields = Readonly<Record<string, unknown>>

/** Fields that say what a call is about, the most telling first. Tools of all agents use the same few names. */
const summaryFields = [
  'command',
  'cmd',
  'script',
  'file_path',
  'filePath',
  'filepath',
  'absolute_path',
  'notebook_path',
  'pattern',
  'query',
  'url',
  'path',
  'file',
  'description',
  'prompt',
  'name',
]
const beforeFields = ['old_string', 'oldString', 'old_str', 'oldText', 'old_text', 'old_content', 'before', 'search']
const afterFields = ['new_string', 'newString', 'new_str', 'newText', 'new_text', 'new_content', 'after', 'replace']
const commandFields = ['command', 'cmd', 'script']
const patchFields = ['patch', 'diff', 'input', 'patchText']
const SUMMARY_LENGTH = 110

export function viewCall(input: unknown): CallView {
  const fields = input !== null && typeof input === 'object' && !Array.isArray(input) ? (input as Fields) : undefined
  if (!fields) {
    const text = typeof input === 'string' ? input : json(input)
    return { summary: cleanLine(text, SUMMARY_LENGTH), blocks: text === '' ? [] : [patchOrText(text, 'json')] }
  }
  const shown = new Set<string>()
  const blocks = [...editBlocks(fields, shown), ...textBlocks(fields, shown)]
  const summary = cleanLine(summaryOf(fields), SUMMARY_LENGTH)
  // What the summary says whole need not be said twice.
  const rest = Object.entries(fields).filter(([key, value]) => !shown.has(key) && value !== summary)
  if (rest.length > 0) blocks.unshift({ language: 'json', text: clean(json(Object.fromEntries(rest))) })
  return { summary, blocks }
}

function summaryOf(fields: Fields): string {
  for (const name of summaryFields) {
    const value = fields[name]
    if (typeof value === 'string' && value.trim() !== '') return value
    if (Array.isArray(value) && value.length > 0 && value.every((part) => typeof part === 'string'))
      return value.join(' ')
  }
  const text = Object.keys(fields).length === 0 ? '' : json(fields)
  return text.replace(/^\{\s*|\s*\}$/g, '')
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

/** A command as shell, a patch as a diff, the content of a written file as it is. */
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
    blocks.push(patchOrText(text, languageOf(summaryOf(fields))))
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

/** For reading; says so where JSON cannot be written. */
export function json(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? ''
  } catch {
    return '(nested too deep to be shown)'
  }
}
