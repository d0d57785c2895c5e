/**
 * Colours what was searched for, by ranges over the text that is shown: nothing is put into the page for it. A browser
 * without this ability marks the row only.
 */
export function markMatches(root: HTMLElement, words: string, currentKey: string | undefined): void {
  if (typeof Highlight === 'undefined') return
  const wanted = words.toLowerCase()
  const all = new Highlight()
  const current = new Highlight()
  if (wanted !== '') {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = (node.textContent ?? '').toLowerCase()
      for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
        if (at + wanted.length > (node.textContent ?? '').length) break
        const range = new StaticRange({
          startContainer: node,
          startOffset: at,
          endContainer: node,
          endOffset: at + wanted.length,
        })
        const row = node.parentElement?.closest<HTMLElement>('.row')
        ;(row?.dataset.key === currentKey ? current : all).add(range)
      }
    }
  }
  CSS.highlights.set('found', all)
  CSS.highlights.set('found-here', current)
}
