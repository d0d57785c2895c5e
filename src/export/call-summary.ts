/** Fields that say what a tool call is about, most significant first. The tools of all agents use the same few names. */
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

/** What a tool call is about, for one line: the value of its most significant field, else its input as JSON. */
export function callSummary(input: unknown): string {
  if (input === null || typeof input !== 'object') return typeof input === 'string' ? input : prettyJson(input)
  for (const name of summaryFields) {
    const value = (input as Readonly<Record<string, unknown>>)[name]
    if (typeof value === 'string' && value.trim() !== '') return value
    if (Array.isArray(value) && value.length > 0 && value.every((part) => typeof part === 'string'))
      return value.join(' ')
  }
  if (Object.keys(input).length === 0) return ''
  return prettyJson(input).replace(/^\{\s*|\s*\}$/g, '')
}

/** Indented for reading. Values nested too deep for JSON are replaced by a note. */
export function prettyJson(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? ''
  } catch {
    return '(nested too deep to be shown)'
  }
}
