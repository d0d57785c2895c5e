import { Lexer, type Token } from 'marked'

/** Nobody writes longer paragraphs. */
const MAX_LENGTH = 10_000

/**
 * Leaves a very long paragraph as plain text: parsing emphasis takes quadratic time (60 kB of `_a_` take twelve seconds),
 * and a transcript is untrusted.
 */
export class BoundedLexer extends Lexer {
  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (src.length <= MAX_LENGTH) return super.inlineTokens(src, tokens)
    tokens.push({ type: 'text', raw: src, text: src, escaped: false })
    return tokens
  }
}
