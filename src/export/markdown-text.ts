/** Headings of a transcript are placed below the document's own two levels. */
const DEMOTED = 2
const FENCE = /^ {0,3}(`{3,}|~{3,})/
const HEADING = /^( {0,3})(#{1,6})(?=\s|$)/
const UNDERLINE = /^ {0,3}(?:(=+)|-+)\s*$/
/** A line that an underline makes a heading: neither blank, nor a list, a quote, a table or a heading itself. */
const PARAGRAPH = /^ {0,3}(?![-*+>#|]|\d+[.)]\s)\S/

/**
 * Markdown of a transcript, made safe to embed in a document: headings are demoted, an open code block is closed, and raw
 * HTML is escaped (an open `<details>` or `<!--` would hide the rest).
 */
export function embedMarkdown(text: string): string {
  const done: string[] = []
  let prose: string[] = []
  let fence: string | undefined
  const flush = (): void => {
    if (prose.length > 0) done.push(...escapeHtml(demote(prose).join('\n')).split('\n'))
    prose = []
  }
  for (const line of text.split('\n')) {
    const mark = FENCE.exec(line)?.[1]
    if (fence === undefined) {
      if (mark === undefined) prose.push(line)
      else {
        flush()
        fence = mark
        done.push(line)
      }
      continue
    }
    done.push(line)
    if (mark?.[0] === fence[0] && mark!.length >= fence.length && line.trim() === mark) fence = undefined
  }
  flush()
  if (fence !== undefined) done.push(fence)
  return done.join('\n')
}

function demote(lines: readonly string[]): string[] {
  const done: string[] = []
  for (const line of lines) {
    const underline = UNDERLINE.exec(line)
    const before = done.at(-1)
    if (underline && before !== undefined && PARAGRAPH.test(before)) {
      done[done.length - 1] = `${'#'.repeat((underline[1] ? 1 : 2) + DEMOTED)} ${before.trim()}`
      continue
    }
    done.push(
      line.replace(
        HEADING,
        (_, indent: string, marks: string) => indent + '#'.repeat(Math.min(6, marks.length + DEMOTED)),
      ),
    )
  }
  return done
}

const CODE_SPAN = '(?<!`)(`{1,8})(?!`)(?:(?!\\n\\s{0,20}\\n)[\\s\\S]){1,500}?(?<!`)\\1(?!`)'
const LINK = '<(?:https?://|mailto:)[^\\s<>]{1,2000}>'
const HTML = new RegExp(`${CODE_SPAN}|\\\\[\\s\\S]|${LINK}|<(?=[A-Za-z/!?])`, 'g')

/** Escapes every `<` that could open a tag, except in code spans, escapes and autolinks. */
function escapeHtml(text: string): string {
  return text.replace(HTML, (match) => (match === '<' ? '\\<' : match))
}

/** Escapes plain text, such as a title or a path. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<]|#(?=#*$)/g, '\\$&')
}

/** A code block whose fence is longer than any in its text. */
export function fenced(text: string, language = ''): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2)
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language.replace(/[^A-Za-z0-9+#.-]/g, '')}\n${text.replace(/\n$/, '')}\n${fence}`
}

export function quoted(text: string): string {
  return text.replace(/^(?=.)/gm, '> ').replace(/^$/gm, '>')
}

/** Keeps line breaks: in Markdown, two spaces at the end of a line. */
export function keepLineBreaks(text: string): string {
  let fence: string | undefined
  return text
    .split('\n')
    .map((line, index, lines) => {
      const mark = FENCE.exec(line)?.[1]
      if (mark !== undefined) fence = fence === undefined ? mark : mark.startsWith(fence) ? undefined : fence
      const next = lines[index + 1]
      if (fence !== undefined || mark !== undefined || line.trim() === '' || !next?.trim() || HEADING.test(line))
        return line
      return `${line.trimEnd()}  `
    })
    .join('\n')
}

/** For text inside HTML, such as a summary. */
export function escapeForHtml(text: string): string {
  const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
  return text.replace(/[&<>"']/g, (character) => names[character]!)
}
