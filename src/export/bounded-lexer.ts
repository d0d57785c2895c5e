import { Lexer, type Token } from 'marked'

/** Longer paragraphs are nobody's writing. */
const LONGEST = 10_000

/**
 * Leaves a very long paragraph as plain text: finding emphasis in it takes time that grows with its square (60 kB of
 * `_a_` take twelve seconds), and a transcript is whatever somebody made an agent say.
 */
export class BoundedLexer extends Lexer {
  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (src.length <= LONGEST) return super.inlineTokens(src, tokens)
    tokens.push({ type: 'text', raw: src, text: src, escaped: false })
    return tokens
  }
}
