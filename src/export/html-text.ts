import { Marked, type RendererObject, type Tokens } from 'marked'
import { BoundedLexer } from './bounded-lexer.ts'
import { escapeForHtml } from './markdown-text.ts'

/** Longer text is shown unformatted: parsing it takes too long. */
const MAX_LENGTH = 50_000
const DEMOTED = 2

/**
 * Renders Markdown of a transcript as inert HTML: raw HTML is shown as text, only http, https and mailto links work, and
 * nothing is fetched (an image becomes a link).
 */
const renderer: RendererObject = {
  html: ({ text, block }) => (block ? `<p>${escapeForHtml(text.trim())}</p>\n` : escapeForHtml(text)),
  heading({ tokens, depth }) {
    const level = Math.min(6, depth + DEMOTED)
    return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`
  },
  link({ href, tokens }) {
    return link(href, this.parser.parseInline(tokens))
  },
  image: ({ href, text }) => link(href, `[image: ${escapeForHtml(text || href)}]`),
  code: ({ text, lang }) => (lang?.trim() === 'diff' ? diffBlock(text) : codeBlock(text)),
  codespan: ({ text }) => `<code>${escapeForHtml(text)}</code>`,
  checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
  // marked leaves text after an open <pre> or <script> as it is.
  text(token) {
    return 'tokens' in token && token.tokens ? this.parser.parseInline(token.tokens) : escapeText(token.text)
  },
  table({ header, rows }) {
    const row = (cells: readonly Tokens.TableCell[], tag: 'th' | 'td'): string =>
      `<tr>${cells.map((cell) => `<${tag}${cell.align === 'right' ? ' class="right"' : ''}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`
    const body = rows.map((cells) => row(cells, 'td')).join('\n')
    return `<div class="wide"><table><thead>${row(header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`
  },
}

const marked = new Marked({ gfm: true, renderer })

export function markdownToHtml(text: string, options: { readonly breaks: boolean }): string {
  if (text.length > MAX_LENGTH) return `<pre class="text">${escapeForHtml(text)}</pre>`
  try {
    const settings = { ...marked.defaults, breaks: options.breaks }
    return marked.parser(new BoundedLexer(settings).lex(text), settings)
  } catch {
    // Nested so deep that the parser gave up.
    return `<pre class="text">${escapeForHtml(text)}</pre>`
  }
}

export function codeBlock(text: string): string {
  return `<pre><code>${escapeForHtml(text)}</code></pre>\n`
}

/** Added and removed lines, each in its colour. */
export function diffBlock(text: string): string {
  const lines = text.split('\n').map((line) => {
    const kind = line.startsWith('+')
      ? 'ins'
      : line.startsWith('-')
        ? 'del'
        : line.startsWith('@@')
          ? 'small'
          : undefined
    return kind ? `<${kind}>${escapeForHtml(line)}</${kind}>` : escapeForHtml(line)
  })
  return `<pre class="diff"><code>${lines.join('\n')}</code></pre>\n`
}

/** Keeps entities of the original text. */
function escapeText(text: string): string {
  return text.replace(/&(?!#?\w{1,30};)/g, '&amp;').replace(/[<>"']/g, escapeForHtml)
}

function link(href: string, inner: string): string {
  const safe = safeUrl(href)
  return safe
    ? `<a href="${escapeForHtml(safe)}" rel="noopener noreferrer nofollow">${inner}</a>`
    : `<span>${inner}</span>`
}

/** Parsed like a browser does, so that spaces, control characters and entities cannot disguise another protocol. */
export function safeUrl(href: string): string | undefined {
  try {
    const url = new URL(href)
    return url.protocol === 'https:' || url.protocol === 'http:' || url.protocol === 'mailto:' ? url.href : undefined
  } catch {
    // A relative link has no target here.
    return undefined
  }
}
