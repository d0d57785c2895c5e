import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { cpuSeconds } from '../../test/support/cpu-time.ts'
import { type IndexEntry, toIndex } from './folder-index.ts'

const entry = (id: string, more: Partial<IndexEntry> = {}): IndexEntry => ({
  id,
  file: `${id}.html`,
  agent: 'an-agent',
  title: `Title of ${id}`,
  prompt: null,
  project: '~/projects/shop',
  created_at: '2026-03-12T14:02:00.000Z',
  updated_at: '2026-03-12T15:00:00.000Z',
  parent_session: null,
  forked_from: null,
  messages: 12,
  tool_calls: 3,
  tokens_in: 43_210,
  tokens_out: 955,
  bytes: 34_567,
  problems: 0,
  ...more,
})

const page = (...entries: IndexEntry[]): string => [...toIndex(entries, { redacted: false })].join('')
/** The list as a reader without scripts sees it: one line for each heading, title and text. */
const shown = (html: string): string[] =>
  /<main>([\s\S]*)<\/main>/
    .exec(html)![1]!
    .replace(/<(?:h2|time|a href="[^"]*"><bdi|b><bdi|p|p class="said"|summary)>/g, '\n')
    .replace(/<[^>]*>/g, '')
    .replaceAll('\u00a0', ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

test('by day, newest first, with what is known about each session', () => {
  const html = page(
    entry('old', { created_at: '2026-02-28T23:59:00.000Z', updated_at: '2026-03-02T08:00:00.000Z', project: null }),
    entry('new', { prompt: 'The cart is wrong', messages: 1, tool_calls: 0, tokens_in: 0, tokens_out: 0 }),
    entry('undated', { created_at: null, updated_at: null, problems: 2 }),
    entry('broken', { created_at: null, messages: 0, tool_calls: 0, tokens_in: 0, tokens_out: 0, problems: 1 }),
  )
  expect(shown(html)).toEqual([
    'Thursday 12 March 2026 1',
    '14:02',
    'Title of new',
    'The cart is wrong',
    'an-agent · shop · 1 message · 35 kB',
    'Saturday 28 February 2026 1',
    '23:59',
    'Title of old',
    'an-agent · 12 messages · 3 tool calls · 43k tokens in, 955 out · 35 kB · until 2026-03-02',
    'Undated 2',
    'Title of broken',
    'an-agent · shop · 0 messages · 35 kB · could not be read',
    'Title of undated',
    'an-agent · shop · 12 messages · 3 tool calls · 43k tokens in, 955 out · 35 kB · 2 unreadable records',
    'No matching sessions.',
  ])
  expect(html).not.toContain('href="broken.html"')
  expect(html).toContain('<p>4 sessions · 2026-02-28 to 2026-03-12 · times in UTC</p>')
  expect(html).toContain('<a href="#2026-03">Mar</a> <a href="#2026-02">Feb</a>')
  expect(html).toContain('<section id="2026-02">')
})

test('sub-agents are below the session that started them, forks name their origin', () => {
  const html = page(
    entry('top', { title: 'Fix & <go>' }),
    entry('sub', { parent_session: 'top' }),
    entry('subsub', { parent_session: 'sub', created_at: '2026-03-13T00:01:00.000Z' }),
    entry('fork', { forked_from: 'top' }),
    entry('lost', { forked_from: 'gone', parent_session: 'gone too' }),
  )
  expect(html).toContain('<summary>2 sub-agent sessions</summary>')
  expect(html).toContain('<time>2026-03-13 00:01</time><a href="subsub.html">')
  expect(html).toContain('· sub-agent of <a href="sub.html" dir="auto">Title of sub</a></p>')
  expect(html).toContain('· fork of <a href="top.html" dir="auto">Fix &amp; &lt;go&gt;</a></p>')
  expect(html).toMatch(/Title of lost.*· sub-agent · fork<\/p>/)
  expect(html).toContain('3 sessions · 2 sub-agent sessions')
})

test('the first prompt is not repeated where it is the title', () => {
  const long = 'Fix the total of the cart when it has a voucher'
  for (const [title, prompt] of [
    [long, long],
    [`${long.slice(0, 30)}…`, long],
    [`${long} (from another agent)`, long],
  ] as const) {
    expect(page(entry('a', { title, prompt }))).not.toContain('class="said"')
  }
  expect(page(entry('a', { title: 'Cart', prompt: long }))).toContain(`<p class="said"><bdi>${long}</bdi></p>`)
})

test('projects of the same name are distinguished, and are choices like the agents, with their counts', () => {
  const html = page(
    entry('a', { project: '~/projects/shop' }),
    entry('b', { project: '~/old/shop', agent: 'another' }),
    entry('c', { project: '~/old/shop' }),
  )
  expect([...html.matchAll(/<option value="(\d*)">([^<]*)</g)].map(([, value, label]) => [value, label])).toEqual([
    ['', 'All agents'],
    ['0', 'an-agent (2)'],
    ['1', 'another (1)'],
    ['', 'All projects'],
    ['1', 'old/shop (2)'],
    ['0', 'projects/shop (1)'],
  ])
  expect(html).toContain('<li data-a="1" data-p="1">')
})

const attacks = [
  '<script>alert(1)</script>',
  '</bdi></a><img src=x onerror=alert(1)>',
  '" onmouseover="alert(1)',
  "' onmouseover='alert(1)",
  '</script><script>alert(1)</script>',
  '</style><style>*{display:none}</style>',
  '</option></select><svg onload=alert(1)>',
  '<!--',
  '&lt;b&gt;',
  'javascript:alert(1)',
  '../../../etc/passwd#x?y',
  '\u202egnp.exe\u2066\u001b[31mred\u001b]8;;http://x\u0007\u0000\ud800',
  'x'.repeat(30_000),
  '',
]

/** All that the index itself writes. Anything else that looks like a tag came out of a transcript. */
const ownTag =
  /<(?:!doctype html|\/?(?:a|html|head|title|body|header|footer|main|h[12]|p|b|nav|ul|li|section|small|details|summary|bdi|time|output|form|select|option)|html lang="en"|meta (?:charset="utf-8"|(?:http-equiv|name)="[\w-]+" content="[^"<>]*")|section id="[\w-]+"|li data-a="\d+"(?: data-p="\d+")?|a href="(?:#[\w-]+|[\w.%!~*()-]+)"(?: dir="auto")?|p class="said"|p id="none" hidden|span class="bad"|\/span|nav class="months" aria-label="Months"|form hidden role="search"|input [^<>]*|select name="\w+" aria-label="All \w+"(?: hidden)?|option value="\d*"|button type="reset" hidden|\/button)>/g

test.each(attacks)('can do nothing: %j', (text) => {
  const hostile: Partial<IndexEntry> = {
    ...{ agent: text, title: text, prompt: `p ${text}`, project: `/${text}`, forked_from: text, parent_session: text },
    ...{ created_at: text, updated_at: text },
  }
  const html = page(
    entry('a', { ...hostile, file: `${text.slice(0, 100)}.html` }),
    entry(text, { title: text, file: 'x.html' }),
    entry('b', { ...hostile, created_at: '2026-03-12Tx"<', project: text }),
    entry('c', { created_at: `2026-03-12T10:00${text}` }),
  )
  const rest = html.replace(/<style>[^<]*<\/style>/, '').replace(/<script>[^<]*(?:<[^/<]*)*<\/script>/, '')
  expect(rest.replace(ownTag, '')).not.toMatch(/[<>]/)
  expect(rest).not.toMatch(/[\u0000-\u0008\u001b\u202e\u2066\ud800]/)
  expect(html.length).toBeLessThan(30_000)
})

test('needs nothing from outside, forbids it, and allows one script', () => {
  const html = page(entry('a'))
  const [, script] = /<script>([\s\S]*)<\/script>/.exec(html)!
  const hash = createHash('sha256').update(script!).digest('base64')
  expect(html).toContain(`content="default-src 'none'; style-src 'sha256-`)
  expect(html).toContain(`; script-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'"`)
  expect(html.match(/<script/g)).toHaveLength(1)
  expect(html).not.toMatch(/\b(?:src|srcset|poster|background|action|style|on\w+)="|url\(|@import|<link|unsafe-/)
  expect(script).not.toMatch(/\beval\b|innerHTML|Function\(|import\(|fetch/)
})

test('10,000 sessions take a page of a few megabytes, and time in proportion', () => {
  const many = (count: number): IndexEntry[] =>
    Array.from({ length: count }, (_, n) =>
      entry(`s${n}`, {
        file: `2026-03-12-an-agent-a-title-of-about-the-usual-length-${String(n).padStart(8, '0')}.html`,
        title: `A title of about the usual length, number ${n}`,
        prompt: `The first prompt of session ${n}, which is often longer than its title and is cut when it is very long indeed`,
        project: `~/projects/project-${n % 300}`,
        created_at: new Date(Date.UTC(2026, 2, 12) - n * 3_600_000).toISOString(),
        parent_session: n % 5 === 0 && n > 0 ? `s${n - 1}` : null,
      }),
    )
  const length = (count: number): number => page(...many(count)).length
  expect(length(10_000)).toBeLessThan(6_000_000)
  expect(length(10_000) / length(1000)).toBeLessThan(11)
  expect(cpuSeconds(() => void page(...many(10_000)))).toBeLessThan(5)
})
