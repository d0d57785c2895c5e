import DOMPurify from 'dompurify'
import { Marked, Renderer, type Tokens } from 'marked'
import { BoundedLexer } from '../../export/bounded-lexer.ts'
import { plain } from '../../platform/plain-text.ts'
import { lazy } from './lazy.ts'

/** Allowed targets of links, and images that can be nothing else; SVG can contain scripts. */
const LINK = /^(?:https?:|mailto:)/i
const IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z0-9+/=\s]+$/i

/**
 * HTML in a transcript is shown as text: what an agent says about a tag should be readable. Headings are nested below
 * those of the page.
 */
class SafeRenderer extends Renderer {
  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    return escapeHtml(text)
  }

  override heading({ tokens, depth }: Tokens.Heading): string {
    const level = Math.min(6, depth + 2)
    return `<h${level} class="depth-${depth}">${this.parser.parseInline(tokens)}</h${level}>`
  }

  override code({ text, lang = '' }: Tokens.Code): string {
    const [language = ''] = lang.trim().split(/\s/)
    return codeHtml(text, language)
  }

  override link({ href, tokens }: Tokens.Link): string {
    const text = this.parser.parseInline(tokens)
    if (!LINK.test(href)) return text
    return `<a href="${escapeHtml(href)}" title="${escapeHtml(href)}">${text}</a>`
  }

  /** The page's policy forbids images of other hosts, so a link is shown instead. */
  override image({ href, text }: Tokens.Image): string {
    if (IMAGE.test(href)) return `<img src="${escapeHtml(href)}" alt="${escapeHtml(text || 'image')}">`
    const label = escapeHtml(text || 'image')
    return LINK.test(href) ? `[<a href="${escapeHtml(href)}">${label}</a>]` : `[${label}]`
  }

  override table(token: Tokens.Table): string {
    return `<div class="wide" tabindex="0">${super.table(token)}</div>`
  }

  /** The box takes the place of the bullet. */
  override listitem(item: Tokens.ListItem): string {
    const html = super.listitem(item)
    return item.task ? html.replace('<li>', '<li class="task">') : html
  }

  override checkbox({ checked }: Tokens.Checkbox): string {
    return checked ? '☑ ' : '☐ '
  }
}

// Not passed to `new Marked`, which copies enumerable properties: a class instance has none.
const prose = new Marked().setOptions({ gfm: true, renderer: new SafeRenderer() })
/** A user's line breaks are intended; a model's are not. */
const prompts = new Marked().setOptions({ gfm: true, breaks: true, renderer: new SafeRenderer() })

DOMPurify.addHook('afterSanitizeAttributes', (node) => {
  if (node.nodeName !== 'A') return
  node.setAttribute('target', '_blank')
  node.setAttribute('rel', 'noopener noreferrer')
})

/** The second line of defence: only these tags and attributes reach the page; no ids, names or styles. */
const allowed = {
  ALLOWED_TAGS: [
    ...['p', 'br', 'hr', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'blockquote', 'strong', 'em', 'del', 'code', 'pre'],
    ...['a', 'img', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'div', 'span', 'button'],
  ],
  ALLOWED_ATTR: ['href', 'src', 'alt', 'title', 'class', 'align', 'start', 'tabindex', 'type', 'target', 'rel'],
  // The others are not addresses and need not look like one.
  ADD_URI_SAFE_ATTR: ['align', 'start', 'tabindex', 'type', 'target', 'rel'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|data:image\/(?:png|jpeg|gif|webp);base64,)/i,
}

const MAX_CACHED = 400
/** Longer text is not rendered: nobody reads it in full. */
const MAX_TEXT = 200_000
/** Longer code is not highlighted: it would block the page. */
const MAX_CODE = 60_000
const cache = new Map<string, string>()
const highlighter = lazy(() => import('./highlighter.ts'))

/** Untrusted Markdown as safe HTML. Cached, since rows come and go while scrolling. */
export function markdownToHtml(text: string, { breaks = false } = {}): string {
  const key = `${highlighter.isLoaded()} ${breaks} ${text}`
  const known = cache.get(key)
  if (known !== undefined) return known
  const html = DOMPurify.sanitize(rendered(plain(text), breaks ? prompts : prose), allowed)
  if (cache.size >= MAX_CACHED) cache.delete(cache.keys().next().value!)
  cache.set(key, html)
  return html
}

/** As plain text if it is too long or too deeply nested to be rendered. */
function rendered(text: string, marked: Marked): string {
  try {
    if (text.length <= MAX_TEXT) return marked.parser(new BoundedLexer(marked.defaults).lex(text))
  } catch {
    // Thousands of nested quotes: the parser runs out of stack.
  }
  return codeHtml(text, '')
}

/** A block of code with its language and a button, whose clicks the list of messages handles. */
export function codeHtml(code: string, language: string): string {
  const isHighlighted = language !== '' && code.length <= MAX_CODE
  const body = (isHighlighted && highlighter.use()?.highlight(code, language)) || escapeHtml(code)
  const name = /^[\w+#.-]{1,24}$/.test(language) ? language : ''
  return (
    `<div class="code"><div class="code-head"><span>${escapeHtml(name)}</span>` +
    `<button type="button" class="copy">Copy</button></div><pre tabindex="0"><code>${body}</code></pre></div>`
  )
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!)
}
