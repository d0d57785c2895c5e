import type { Token, Tokens } from 'marked'
import { BoundedLexer } from '../export/bounded-lexer.ts'
import { plain } from '../platform/plain-text.ts'
import type { Palette } from './colour.ts'
import { fit, pad, width, wrap } from './text.ts'

type Paint = (text: string) => string

const asIs: Paint = (text) => text

/** Markdown as lines for a terminal, without line breaks: what it means instead of its signs. */
export function markdownLines(text: string, columns: number, colours: Palette): string[] {
  return trimmed(new MarkdownWriter(colours).blocks(new BoundedLexer().lex(plain(text)), columns))
}

class MarkdownWriter {
  readonly #colours: Palette

  constructor(colours: Palette) {
    this.#colours = colours
  }

  blocks(tokens: readonly Token[], columns: number): string[] {
    const lines: string[] = []
    for (const token of tokens) {
      if (token.type === 'space' || token.type === 'def' || token.type === 'checkbox') continue
      const block = this.#block(token, columns)
      if (block.length > 0) lines.push(...block, '')
    }
    return lines
  }

  #block(token: Token, columns: number): string[] {
    const { strong, faint, accent } = this.#colours
    switch (token.type) {
      case 'heading':
        return wrap(this.#inline(token as Tokens.Heading, strong), columns)
      case 'code':
        return (token as Tokens.Code).text
          .split('\n')
          .flatMap((line) => wrap(line, columns - 4).map((part) => (part === '' ? '' : `    ${accent(part)}`)))
      case 'blockquote': {
        const inside = trimmed(this.blocks((token as Tokens.Blockquote).tokens, columns - 2))
        return inside.map((line) => `${faint('│')} ${line}`)
      }
      case 'list':
        return this.#list(token as Tokens.List, columns)
      case 'table':
        return this.#table(token as Tokens.Table, columns)
      case 'hr':
        return [faint('─'.repeat(Math.min(columns, 40)))]
      case 'html':
        return wrap((token as Tokens.HTML).text.trimEnd(), columns)
      default:
        return wrap(this.#inline(token as Tokens.Paragraph, asIs), columns)
    }
  }

  #list({ items, ordered, start, loose }: Tokens.List, columns: number): string[] {
    const last = Number(start || 1) + items.length - 1
    return items.flatMap((item, index) => {
      const number = ordered ? `${Number(start || 1) + index}.`.padStart(`${last}.`.length) : '•'
      const box = item.task ? (item.checked ? '☑ ' : '☐ ') : ''
      const indent = ' '.repeat(number.length + 1)
      const lines = trimmed(this.blocks(item.tokens, columns - indent.length))
      // Between the paragraphs of a tight list there is no space.
      const close = loose ? lines : lines.filter((line) => line !== '')
      const [first = '', ...rest] = close
      const spaced = loose && index < items.length - 1 ? [''] : []
      return [`${number} ${box}${first}`, ...rest.map((line) => (line === '' ? '' : indent + line)), ...spaced]
    })
  }

  /** Cells are cut where the table is too wide. */
  #table({ header, rows, align }: Tokens.Table, columns: number): string[] {
    const { strong, faint } = this.#colours
    const texts = [header, ...rows].map((row) => row.map((cell) => plainText(cell.tokens)))
    const natural = header.map((_, at) => Math.max(3, ...texts.map((row) => width(row[at] ?? ''))))
    const widest = Math.max(3, Math.floor((columns - 3 * (natural.length - 1)) / natural.length))
    const isTooWide = natural.reduce((sum, one) => sum + one + 3, -3) > columns
    const widths = isTooWide ? natural.map((one) => Math.min(one, widest)) : natural
    const row = (cells: readonly string[], paint: Paint): string =>
      widths
        .map((size, at) => paint(pad(fit(cells[at] ?? '', size), size, align[at] === 'right' ? 'right' : 'left')))
        .join(faint(' │ '))
        .trimEnd()
    const [head = [], ...body] = texts
    const rule = widths.map((size) => '─'.repeat(size)).join('─┼─')
    return [row(head, strong), faint(rule), ...body.map((cells) => row(cells, asIs))]
  }

  /** Words are painted one by one, as lines are broken between them. */
  #inline({ tokens, text }: { readonly tokens?: Token[] | undefined; readonly text: string }, paint: Paint): string {
    if (!tokens) return words(text, paint)
    return tokens.map((token) => this.#span(token, paint)).join('')
  }

  #span(token: Token, paint: Paint): string {
    const { strong, faint, accent } = this.#colours
    switch (token.type) {
      case 'strong':
        return this.#inline(token as Tokens.Strong, (text) => paint(strong(text)))
      case 'codespan':
        return words((token as Tokens.Codespan).text, (text) => paint(accent(text)))
      case 'link': {
        const { href, text } = token as Tokens.Link
        const label = this.#inline(token as Tokens.Link, paint)
        return href === text || href.replace(/^mailto:/, '') === text ? label : `${label} ${faint(`(${href})`)}`
      }
      case 'image':
        return words(`[${(token as Tokens.Image).text || 'image'}]`, paint)
      case 'br':
        return '\n'
      case 'checkbox':
        return ''
      case 'escape':
        return words((token as Tokens.Escape).text, paint)
      default:
        return 'text' in token ? this.#inline(token as Tokens.Text, paint) : token.raw
    }
  }
}

function words(text: string, paint: Paint): string {
  return text
    .split(/(\s+)/)
    .map((part) => (part.trim() === '' ? part : paint(part)))
    .join('')
}

function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if ('tokens' in token && token.tokens) return plainText(token.tokens)
      return 'text' in token ? String(token.text) : token.raw
    })
    .join('')
}

/** Without empty lines at the end. */
function trimmed(lines: readonly string[]): string[] {
  return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1)
}
