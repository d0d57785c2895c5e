import { wordsOf } from '../text/words.ts'

/**
 * Highlights matches with ranges over the visible text, without changing the page. A browser without this feature
 * highlights only the row.
 */
export function markMatches(root: HTMLElement, query: string, currentKey: string | undefined): void {
  if (typeof Highlight === 'undefined') return
  const words = wordsOf(query)
  const all = new Highlight()
  const current = new Highlight()
  if (words.length > 0) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const row = node.parentElement?.closest<HTMLElement>('.row')
      const marks = row?.dataset.key === currentKey ? current : all
      for (const word of words) for (const range of rangesOf(node, word)) marks.add(range)
    }
  }
  CSS.highlights.set('found', all)
  CSS.highlights.set('found-here', current)
}

function* rangesOf(node: Node, word: string): Generator<StaticRange> {
  const text = node.textContent ?? ''
  const lower = text.toLowerCase()
  // A few characters change length in lower case; then offsets do not match.
  if (lower.length !== text.length) return
  for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length)) {
    const end = at + word.length
    yield new StaticRange({ startContainer: node, startOffset: at, endContainer: node, endOffset: end })
  }
}
