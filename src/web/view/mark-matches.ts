import { wordsOf } from '../state/search.ts'

/**
 * Highlights matches with ranges over the visible text, without changing the page. A browser without this feature
 * highlights only the row.
 */
export function markMatches(root: HTMLElement, words: string, currentKey: string | undefined): void {
  if (typeof Highlight === 'undefined') return
  const wanted = wordsOf(words)
  const all = new Highlight()
  const current = new Highlight()
  if (wanted.length > 0) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const row = node.parentElement?.closest<HTMLElement>('.row')
      const marks = row?.dataset.key === currentKey ? current : all
      for (const word of wanted) for (const range of rangesOf(node, word)) marks.add(range)
    }
  }
  CSS.highlights.set('found', all)
  CSS.highlights.set('found-here', current)
}

function* rangesOf(node: Node, word: string): Generator<StaticRange> {
  const whole = node.textContent ?? ''
  const text = whole.toLowerCase()
  // A few characters change length in lower case; then offsets do not match.
  if (text.length !== whole.length) return
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
    const end = at + word.length
    yield new StaticRange({ startContainer: node, startOffset: at, endContainer: node, endOffset: end })
  }
}
