import { expect, test } from 'vitest'
import { cpuSeconds } from '../../test/support/cpu-time.ts'
import { sampleLog } from '../../test/support/sample-events.ts'
import type { IonEvent } from '../events/schema.ts'
import { markdownToHtml, safeUrl } from './html-text.ts'
import { exportSession } from './session.ts'

const everything = { full: true, thinking: true, system: true, branch: 'all' } as const

function html(events: readonly IonEvent[]): string {
  return [...exportSession({ read: () => events.map((event) => ({ event })) }, { format: 'html', ...everything })].join(
    '',
  )
}

const attacks = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<pre><img src=x onerror=alert(1) ',
  '<script> <img src=x onerror=alert(1) ',
  'text <code> <svg/onload=alert(1) <b',
  '</style><script>alert(1)</script>',
  '</title><script>alert(1)</script>',
  '</details></section></body><script>alert(1)</script>',
  '<a href="javascript:alert(1)">x</a>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](java\tscript:alert(1))',
  '[x](javascript&#58;alert(1))',
  '[x](&#x6a;avascript:alert(1))',
  '[x](\u0001javascript:alert(1))',
  '[x](vbscript:msgbox(1))',
  '[x](data:text/html;base64,PHNjcmlwdD4=)',
  '[x](file:///etc/passwd)',
  '[x](https://example.com/"onmouseover="alert(1))',
  '[x](https://example.com "title\\" onmouseover=\\"alert(1)")',
  '![x](https://tracker.example/pixel.png)',
  '![x"onerror="alert(1)](javascript:alert(1))',
  '<https://example.com/"onclick="alert(1)>',
  '[x]: javascript:alert(1)\n\n[x]',
  '```"><script>alert(1)</script>\ncode\n```',
  '```diff\n+<script>alert(1)</script>\n```',
  '| <script>alert(1)</script> | b |\n|---|---|\n| <img src=x onerror=alert(1)> | `</code><script>` |',
  '- [ ] <script>alert(1)</script>',
  '<!--><script>alert(1)</script>-->',
  '<style>body{background:url(https://tracker.example)}</style>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<base href="https://evil.example/"><form action="https://evil.example"><button>',
  '<meta http-equiv="refresh" content="0;url=https://evil.example">',
]

/** All that the document's own code writes. Whatever else looks like a tag came out of a transcript. */
const ownTag =
  /<(?:!doctype html|\/?(?:a|html|head|title|style|body|header|footer|h[1-6]|p|dl|dt|dd|details|summary|nav|ol|ul|li|section|div|pre|code|ins|del|small|b|i|em|strong|span|table|thead|tbody|tr|th|td|blockquote|br|hr)|html lang="en"|meta (?:charset="utf-8"|(?:http-equiv|name)="[\w-]+" content="[^"<>]*")|(?:p|section|div|details|span|pre|td|th|ol) (?:class|start)="[\w-]+"(?: id="turn-\d+")?|a href="(?:#turn-\d+|(?:https?:|mailto:)[^"<>\s]*)"(?: rel="noopener noreferrer nofollow")?|img alt="image" src="data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]*")>/gi

test.each(attacks)('can do nothing: %s', (text) => {
  const block = { type: 'text', text } as const
  const events = sampleLog(
    { type: 'user', content: text, sub_agent: text },
    {
      type: 'user',
      content: [
        block,
        { type: 'image', media_type: text, data: text, url: text },
        { type: 'file', path: text, media_type: text },
      ],
    },
    { type: 'assistant', content: [block], model: text },
    { type: 'thinking', content: text },
    { type: 'tool_use', id: 'c', name: text, input: { command: text, [text]: text, old_string: text, new_string: '' } },
    { type: 'tool_result', tool_use_id: 'c', content: [block], is_error: true },
    { type: 'compaction', summary: text, replaces: [] },
    { type: 'system', subtype: text, content: text },
    { type: 'native', record: { [text]: text } },
    { type: 'session_end', reason: 'error', summary: text },
  ).map((event) =>
    event.type === 'session_start' ? { ...event, title: text, cwd: text, git: { branch: text } } : event,
  )
  const style = /<style>[^<]*<\/style>/
  const document = html(events)
  expect(document).toMatch(style)
  const rest = document.replace(style, '').replace(ownTag, '')
  expect(rest).not.toMatch(/[<>]/)
})

test('needs nothing from outside, and forbids it', () => {
  const document = html(sampleLog({ type: 'user', content: 'see ![a](https://example.com/a.png)' }))
  expect(document).toContain(`content="default-src 'none'; style-src 'sha256-`)
  expect(document).not.toMatch(/\b(?:src|srcset|poster|background|action)=|url\(|@import|<link|<script/)
})

test('pictures stand inside only when they are only pictures', () => {
  const image = (media_type: string | null, data: string) => ({ type: 'image', media_type, data }) as const
  const document = html(
    sampleLog({
      type: 'user',
      content: [
        image('image/png', 'iVBO\nRw0K'),
        image('image/svg+xml', 'PHN2Zz4='),
        image('text/html', 'PHN2Zz4='),
        image('image/png', '"><script>'),
        image(null, 'AAAA'),
        { type: 'image', media_type: null, url: 'https://example.com/x.png' },
      ],
    }),
  )
  const section = /<\/h2>(.*)<\/section>/.exec(document)?.[1]
  expect(section).toBe(
    '<img alt="image" src="data:image/png;base64,iVBORw0K">' +
      '<p>[image: image/svg+xml, 6 B]</p><p>[image: text/html, 6 B]</p><p>[image: image/png, 7 B]</p><p>[image: 3 B]</p>' +
      '<p>[image: https://example.com/x.png]</p>',
  )
})

test('links lead to the web and to mail, nowhere else', () => {
  expect(
    [
      'https://a.example/?q="x"',
      'HTTP://A.example',
      'mailto:a@b.example',
      'javascript:1',
      ' \tjavascript:1',
      '/x',
      '',
      'ftp://x',
    ].map(safeUrl),
  ).toEqual([
    'https://a.example/?q=%22x%22',
    'http://a.example/',
    'mailto:a@b.example',
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

test('text stays text: entities, code, line breaks of a person', () => {
  expect(markdownToHtml('a &lt; b && `<x> &amp;` "q"\nnext', { breaks: true })).toBe(
    '<p>a &lt; b &amp;&amp; <code>&lt;x&gt; &amp;amp;</code> &quot;q&quot;<br>next</p>\n',
  )
})

test('hostile markdown takes time in proportion to its length', () => {
  for (const unit of ['[', '>', '*a ', '`', '| ', '![](', '<a ', '_a*', '1. ']) {
    const text = unit.repeat(49_000 / unit.length)
    expect(
      cpuSeconds(() => markdownToHtml(text, { breaks: true })),
      unit,
    ).toBeLessThan(5)
  }
})
