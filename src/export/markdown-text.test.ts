import fc from 'fast-check'
import { Marked, type Token } from 'marked'
import { expect, test } from 'vitest'
import { embedMarkdown } from './markdown-text.ts'

const marked = new Marked({ gfm: true })

interface Found {
  readonly html: string[]
  readonly images: string[]
  readonly links: string[]
}

/** What a reader of Markdown would make of it. */
function parsed(text: string): Found {
  const found: Found = { html: [], images: [], links: [] }
  marked.walkTokens(marked.lexer(embedMarkdown(text)), (token: Token) => {
    if (token.type === 'html') found.html.push(token.raw)
    if (token.type === 'image') found.images.push(token.href)
    if (token.type === 'link') found.links.push(token.href)
  })
  return found
}

/** As a browser would: it ignores control characters and white space in a protocol. */
function protocolOf(href: string): string | undefined {
  const decoded = href.replace(/&#x([0-9a-f]+);?/gi, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16)))
  return /^([a-z][a-z0-9+.-]*):/i.exec(decoded.replace(/[\x00-\x20]/g, ''))?.[1]?.toLowerCase()
}

const WEB = [undefined, 'http', 'https', 'mailto']

test.each([
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x]( javascript:alert(1) "title")',
  '[x](<javascript:alert(1)>)',
  '[x](\njavascript:alert(1))',
  '[x](&#106;avascript:alert(1))',
  '[x](&#x6A;avascript&colon;alert(1))',
  '[x](javascript&colon;alert(1))',
  '[x](java\\script:alert(1))',
  '[x](\\javascript:alert(1))',
  '[x](vbscript:msgbox)',
  '[x](data:text/html;base64,PHNjcmlwdD4=)',
  '[x](data:image/svg+xml,<svg/onload=alert(1)>)',
  '[x](file:///etc/passwd)',
  '[x][ref]\n\n[ref]: javascript:alert(1)',
  '[ref]\n\n[ref]:\n  <javascript:alert(1)>',
  '> [ref]:\n> javascript:alert(1)\n\n[ref]',
  '> [ref]: javascript:alert(1)\n\n[ref]',
  '- [ref]: data:text/html,x\n\n[ref][]',
  '<javascript:alert(1)>',
  '[a](x)[b](javascript:alert(1))',
  '[a\\](b](javascript:alert(1))',
  '[x](<java\tscript:alert(1)>)',
  '[x](< javascript:alert(1)>)',
  `[x](${' '.repeat(500)}javascript:alert(1))`,
])('%j is no link to run', (text) => {
  expect(
    parsed(text)
      .links.map(protocolOf)
      .filter((one) => !WEB.includes(one)),
  ).toEqual([])
})

test.each([
  ['![a](http://tracker.example/x.png)', ['http://tracker.example/x.png']],
  ['![a][i]\n\n[i]: https://tracker.example/x.png', ['https://tracker.example/x.png']],
  ['![a](data:image/png;base64,AAAA)', []],
  ['![](//tracker.example/x.png)', ['//tracker.example/x.png']],
  ['[![a](http://t.example/x.png)](https://example.com)', ['http://t.example/x.png', 'https://example.com']],
])('%j is not loaded', (text, links) => {
  const found = parsed(text)
  expect(found.images).toEqual([])
  expect(found.links).toEqual(links)
})

test.each([
  '<img src=http://t.example/x>',
  '<svg onload=alert(1)>',
  'a ` b\n2. c ` <img src=x> `',
  '`\n- <img src=x>`',
  '`` x ` y\n` <img src=x> `\n``',
  '``` `x\n<img src=x>\n',
  '- a\n  ```\n<img src=x>\n',
  '- a\n  ```\n  code\n      ```\n  <img src=x>\n  ```\n',
  '1. a\n   ~~~\n  <img src=x>\n   ~~~',
  '> ```\n<img src=x>',
])('%j has no HTML', (text) => {
  expect(parsed(text).html.filter((tag) => !/^<\/?code>$/.test(tag))).toEqual([])
})

test('what is harmless stays as it was', () => {
  const text = [
    'See [the docs](https://example.com/a?b=c#d), [a file](src/cart.ts), [here](#there) and <https://example.com>.',
    '`Map<string, number>`, `a[0](x)` and **bold**; array[0]: 17.10, [note]: the text',
    '',
    '1. step',
    '   ```sh',
    '   npm i <name>',
    '   ```',
    '2. next',
    '',
    '```html',
    '<b>![x](javascript:y)</b>',
    '```',
    '[ref]: https://example.com',
  ].join('\n')
  expect(embedMarkdown(text)).toBe(text)
})

test('very many lines', () => {
  const text = `${'line\n'.repeat(300_000)}\`\`\`\n${'code\n'.repeat(300_000)}\`\`\``
  expect(embedMarkdown(text)).toBe(text)
})

test('whatever is put together, nothing is loaded or run', () => {
  const pieces = fc.constantFrom(
    ...[
      '`',
      '``',
      '```',
      '~~~',
      '\n',
      '\n\n',
      '- ',
      '1. ',
      '2. ',
      '> ',
      '  ',
      '    ',
      '\t',
      '\\',
      '!',
      '[a]',
      '[a',
      ']',
      '(',
    ],
    ...[
      '](',
      '][',
      ']: ',
      '<',
      '>',
      '<img src=x>',
      '</details>',
      '<!--',
      '-->',
      'javascript:x',
      'data:text/html,x',
      ')',
    ],
    ...['https://e.example/', '&#106;avascript:x', '&lt;', '"', "'", 'x', ' ', '#', '|', '---', '*', '_', '[a]: '],
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (all) => {
      const { html, images, links } = parsed(all.join(''))
      expect(html.filter((tag) => !/^<\/?code>$/.test(tag))).toEqual([])
      expect(images).toEqual([])
      expect(links.map(protocolOf).filter((one) => !WEB.includes(one))).toEqual([])
    }),
    { numRuns: 1500 },
  )
})
