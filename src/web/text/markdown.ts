import DOMPurify from 'dompurify'
import { Marked, Renderer, type Tokens } from 'marked'
import { BoundedLexer } from '../../export/bounded-lexer.ts'
import { plain } from '../../platform/plain-text.ts'
import { escapeHtml } from './escape-html.ts'
import { highlighted, highlightsReady } from './highlight.ts'

/** Where a link of a transcript may lead, and the pictures that are only pictures; SVG can hold scripts. */
const LINK = /^(?:https?:|mailto:)/i
const PICTURE = /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z0-9+/=\s]+$/i

/**
 * HTML in a transcript is shown as it was written, not run: what an agent says about a tag should be read. Headings
 * begin below those of the page.
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
    const words = this.parser.parseInline(tokens)
    if (!LINK.test(href)) return words
    return `<a href="${escapeHtml(href)}" title="${escapeHtml(href)}">${words}</a>`
  }

  /** The policy of the page would fetch no picture from elsewhere; it is named instead. */
  override image({ href, text }: Tokens.Image): string {
    if (PICTURE.test(href)) return `<img src="${escapeHtml(href)}" alt="${escapeHtml(text || 'image')}">`
    const words = escapeHtml(text || 'image')
    return LINK.test(href) ? `[<a href="${escapeHtml(href)}">${words}</a>]` : `[${words}]`
  }

  override table(token: Tokens.Table): string {
    return `<div class="wide" tabindex="0">${super.table(token)}</div>`
  }

  override checkbox({ checked }: Tokens.Checkbox): string {
    return checked ? '☑ ' : '☐ '
  }
}

// Set, not given to `new Marked`, which would copy what is enumerable of it: nothing.
const prose = new Marked().setOptions({ gfm: true, renderer: new SafeRenderer() })
/** A user's line breaks are intended; a model's are not. */
const prompts = new Marked().setOptions({ gfm: true, breaks: true, renderer: new SafeRenderer() })

DOMPurify.addHook('afterSanitizeAttributes', (node) => {
  if (node.nodeName !== 'A') return
  node.setAttribute('target', '_blank')
  node.setAttribute('rel', 'noopener noreferrer')
})

/** The second line of defence: only these tags and attributes reach the page. No ids, names or styles. */
const allowed = {
  ALLOWED_TAGS: [
    ...['p', 'br', 'hr', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'blockquote', 'strong', 'em', 'del', 'code', 'pre'],
    ...['a', 'img', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'div', 'span', 'button'],
  ],
  ALLOWED_ATTR: ['href', 'src', 'alt', 'title', 'class', 'align', 'start', 'tabindex', 'type', 'target', 'rel'],
  // The rest of them hold no addresses, and need not look like one.
  ADD_URI_SAFE_ATTR: ['align', 'start', 'tabindex', 'type', 'target', 'rel'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|data:image\/(?:png|jpeg|gif|webp);base64,)/i,
}

const KEPT = 400
/** Longer than anything that people read. */
const LONGEST = 200_000
const done = new Map<string, string>()

/** Untrusted Markdown as safe HTML. Cached, since rows come and go while scrolling. */
export function markdownToHtml(text: string, { breaks = false } = {}): string {
  const key = `${highlightsReady.value} ${breaks} ${text}`
  const known = done.get(key)
  if (known !== undefined) return known
  const html = DOMPurify.sanitize(rendered(plain(text), breaks ? prompts : prose), allowed)
  if (done.size >= KEPT) done.delete(done.keys().next().value!)
  done.set(key, html)
  return html
}

/** As plain text if it is too long or too deeply nested to be rendered. */
function rendered(text: string, marked: Marked): string {
  try {
    if (text.length <= LONGEST) return marked.parser(new BoundedLexer(marked.defaults).lex(text))
  } catch {
    // Thousands of nested quotes: the parser runs out of stack.
  }
  return codeHtml(text, '')
}

/** A block of code with its language and a button, whose clicks the list of messages handles. */
export function codeHtml(code: string, language: string): string {
  const body = highlighted(code, language) ?? escapeHtml(code)
  const name = /^[\w+#.-]{1,24}$/.test(language) ? language : ''
  return (
    `<div class="code"><div class="code-head"><span>${escapeHtml(name)}</span>` +
    `<button type="button" class="copy">Copy</button></div><pre tabindex="0"><code>${body}</code></pre></div>`
  )
}
