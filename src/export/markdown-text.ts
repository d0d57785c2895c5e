/** Headings of a transcript are placed below the document's own two levels. */
const DEMOTED = 2
/** An opening fence of backticks has none in what follows. */
const FENCE = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})/
const HEADING = /^( {0,3})(#{1,6})(?=\s|$)/
const UNDERLINE = /^ {0,3}(?:(=+)|-+)\s*$/
/** A line that an underline makes a heading: neither blank, nor a list, a quote, a table or a heading itself. */
const PARAGRAPH = /^ {0,3}(?![-*+>#|]|\d+[.)]\s)\S/

/**
 * Markdown of a transcript, made safe to embed in a document: headings are demoted, an open code block is closed, raw HTML is
 * escaped (an open `<details>` or `<!--` would hide the rest), images become links, so that nothing is loaded, and only
 * links to the web, to mail addresses and to relative paths remain.
 */
export function embedMarkdown(text: string): string {
  const done: string[] = []
  let prose: string[] = []
  const flush = (): void => {
    if (prose.length > 0) done.push(inert(demote(prose).join('\n')))
    prose = []
  }
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    const [, indent = '', mark] = FENCE.exec(line) ?? []
    if (mark === undefined) {
      prose.push(line)
      continue
    }
    flush()
    let close = at + 1
    while (close < lines.length && !isClosing(lines[close]!, mark)) close++
    done.push(codeBlock(line, lines.slice(at + 1, close), lines[close] ?? indent + mark, indent.length, mark))
    at = close
  }
  flush()
  return done.join('\n')
}

function isClosing(line: string, fence: string): boolean {
  const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
  return mark !== undefined && mark[0] === fence[0] && mark.length >= fence.length && line.trim() === mark
}

/**
 * A code block stays as it is where every reader ends it at the same line. An indented one belongs to a list perhaps, and
 * ends with that, before a line that is indented less: then it is written without its indentation, as a block of its own.
 */
function codeBlock(first: string, inside: readonly string[], last: string, indent: number, mark: string): string {
  const isPlain =
    indent === 0 ||
    (last.startsWith(' '.repeat(indent)) &&
      inside.every(
        (line) => line.trim() === '' || (line.startsWith(' '.repeat(indent)) && !isClosing(line.trim(), mark)),
      ))
  if (isPlain) return [first, ...inside, last].join('\n')
  const margin = new RegExp(`^ {0,${indent}}`)
  const language = first.trim().slice(mark.length).trim()
  return fenced(inside.map((line) => line.replace(margin, '')).join('\n'), language)
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
const AUTOLINK = '<(?:https?://|mailto:)[^\\s<>]{1,2000}>'
/** A `<` that could open a tag, the start of an image, and the end of a link's text or of a reference. */
const RISK = '<(?=[A-Za-z/!?])|!(?=\\[)|\\](?=[(:])'
const TOKEN = new RegExp(`${CODE_SPAN}|\\\\[\\s\\S]|${AUTOLINK}|${RISK}`, 'g')
const RISKY = new RegExp(RISK)

/** Escapes what would be HTML, an image or a link with another protocol, except in code spans, escapes and autolinks. */
function inert(text: string): string {
  return text
    .split(/(\n[ \t]*\n)/)
    .map((paragraph) => {
      const isClear = paragraph.split('\n').every(hasClearSpans)
      return paragraph.replace(TOKEN, (match: string, ...more: unknown[]) => {
        if (match.startsWith('`')) return isClear || !RISKY.test(match) ? match : codeHtml(match)
        // Not `\\<`: readers take a backslash after an address as part of that.
        if (match === '<' || match === '\\<') return '&lt;'
        if (match === '!') return '\\!'
        if (match !== ']') return match
        return isHarmless(paragraph, (more.at(-2) as number) + 2) ? match : ']\\'
      })
    })
    .join('')
}

/** Every reader sees the same code spans: there is no odd backtick, which a next line may or may not end, nor one in an address. */
function hasClearSpans(line: string): boolean {
  const rest = line.replace(TOKEN, (match) => (match.startsWith('`') ? '\0' : ''))
  return !rest.includes('`') && !/(?:\/\/|www\.)\S*\0/i.test(rest)
}

/**
 * How a target may begin: with a protocol that cannot run anything, or with what is no protocol, nor could be decoded to one
 * (entities, escapes). In angle brackets it may contain white space, which browsers drop; on the next line
 * of a quote, `>` precedes it.
 */
const HARMLESS =
  /[\s>]*(?![\s>])(?:<[ \t]*(?![ \t])(?:https?:\/\/|mailto:|[a-z\d+.-]*(?![a-z\d+.:&\\\s-]))|(?!<)(?:https?:\/\/|mailto:|[a-z\d+.-]*(?![a-z\d+.:&\\-])))/iy

function isHarmless(text: string, at: number): boolean {
  HARMLESS.lastIndex = at
  return HARMLESS.test(text)
}

/** A code span as HTML, in which nothing has a meaning, wherever a reader sees its ends. */
function codeHtml(span: string): string {
  const code = span.replace(/^(`+)([\s\S]*)\1$/, '$2').trim()
  return `<code>${code.replace(/[^\w\s./-]/gu, (one) => `&#${one.codePointAt(0)};`).replace(/\s+/g, ' ')}</code>`
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
      const mark = FENCE.exec(line)?.[2]
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
