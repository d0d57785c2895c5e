import { Marked } from 'marked'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { sampleLog } from '../../test/support/sample-events.ts'
import type { IonEvent } from '../events/schema.ts'
import { exportSession } from './session.ts'
import type { TimelineOptions } from './timeline.ts'

const brief: TimelineOptions = { full: false, thinking: false, system: false, branch: 'main' }
const everything: TimelineOptions = { full: true, thinking: true, system: true, branch: 'all' }

function markdown(events: readonly IonEvent[], options: TimelineOptions = brief): string {
  return [...exportSession({ read: () => events.map((event) => ({ event })) }, { format: 'md', ...options })].join('')
}

/** Without the front matter and the title. */
function body(events: readonly IonEvent[], options?: TimelineOptions): string {
  return markdown(events, options)
    .split('\n')
    .slice(markdown(events, options).split('\n').indexOf('---', 1) + 4)
    .join('\n')
}

const call = (id: string, name: string, input: unknown) => ({ type: 'tool_use', id, name, input }) as const
const result = (tool_use_id: string, content: string, is_error = false) =>
  ({ type: 'tool_result', tool_use_id, content, is_error }) as const
const said = (text: string) => ({ type: 'assistant' as const, content: [{ type: 'text' as const, text }] })

test('a whole document', () => {
  const events = sampleLog(
    { type: 'system', subtype: 'reminder', content: 'hidden' },
    { type: 'user', content: 'Why is the total wrong?\nIt should be 17.10' },
    { type: 'thinking', content: 'hidden too' },
    {
      ...said('# I see\n\nLook at `a<b>` and <b>.'),
      model: 'a-model',
      token_usage: { input: 10, output: 20, cache_read: 0, cache_write: 0, reasoning: 0 },
    },
    call('c1', 'Bash', { command: 'npm test', description: 'Run the tests' }),
    call('c2', 'Edit', { file_path: '/home/ann/shop/cart.ts', old_string: 'a\nb\nc', new_string: 'a\nB\nc' }),
    result('c2', 'done'),
    result('c1', '```\nfence\n```', true),
    { type: 'compaction', summary: 'So far so good', replaces: [] },
    { type: 'user', content: 'thanks' },
    { type: 'session_end', reason: 'completed' },
  )
  expect(markdown(events)).toBe(`---
id: "3f2a9c1d-8e7b-4a5f-8c3d-2e1f0a9b8c7d"
agent: an-agent
agent_version: "1.0"
title: "Fix the *cart*"
cwd: /home/ann/shop
model: a-model
created: "2026-03-12T14:00:01.000Z"
updated: "2026-03-12T14:00:11.000Z"
messages: 3
tool_calls: 2
tokens: { input: 10, output: 20 }
---

# Fix the \\*cart\\*

## 1. Why is the total wrong?

*2026-03-12 14:00 UTC*

> Why is the total wrong?  
> It should be 17.10

### I see

Look at \`a<b>\` and &lt;b>.

<details>
<summary><code>Bash</code> npm test — failed</summary>

\`\`\`sh
# Run the tests
npm test
\`\`\`

**Error**

\`\`\`\`
\`\`\`
fence
\`\`\`
\`\`\`\`

</details>

<details>
<summary><code>Edit</code> /home/ann/shop/cart.ts</summary>

\`\`\`diff
 a
-b
+B
 c
\`\`\`

**Result**

\`\`\`
done
\`\`\`

</details>

---

<details>
<summary><em>The conversation was summarised here; this is what the model continued with</em></summary>

> So far so good

</details>

---

## 2. thanks

*2026-03-12 14:00 UTC*

---

*Session ended: completed.*
`)
})

test('front matter that a title cannot break out of', () => {
  const title = 'a"b: [x]\n---\nagent: evil \u2028 # no'
  const events = sampleLog().map((event) => ({ ...event, title }) as IonEvent)
  const matter = markdown(events).split('---\n')[1]!
  expect(parse(matter)).toMatchObject({ agent: 'an-agent', title: 'a"b: [x] --- agent: evil # no', messages: 0 })
})

test('what was hidden, when it is asked for', () => {
  const events = sampleLog(
    { type: 'thinking', content: 'hm' },
    { type: 'system', subtype: 'reminder', content: { a: 1 } },
    { type: 'native', record: { b: 2 } },
  )
  expect(body(events)).toBe('')
  expect(body(events, everything)).toBe(
    [
      '<details>\n<summary><em>Thinking</em></summary>\n\n> hm\n\n</details>\n',
      '<details>\n<summary><em>reminder</em></summary>\n\n```json\n{\n  "a": 1\n}\n```\n\n</details>\n',
      '<details>\n<summary><em>unknown record</em></summary>\n\n```json\n{\n  "b": 2\n}\n```\n\n</details>\n',
    ].join('\n'),
  )
})

test('long results are cut in the middle and say so; --full does not', () => {
  const long = Array.from({ length: 500 }, (_, line) => `line ${line}`).join('\n')
  const events = sampleLog(call('c', 'Read', { path: 'x' }), result('c', long))
  expect(body(events)).toContain('line 89\n\n… 380 lines left out; --full shows them …\n\nline 470\n')
  expect(body(events, everything)).toContain(long)
})

test('branches: left out and counted, or marked', () => {
  const events = sampleLog(
    { type: 'user', content: 'one' },
    { type: 'user', content: 'left' },
    { type: 'user', content: 'two' },
  )
  const forked = events.map((event) => (event.id === 'e3' ? { ...event, parent_id: 'e1' } : event))
  const time = '*2026-03-12 14:00 UTC*'
  expect(body(forked)).toBe(
    `## 1. one\n\n${time}\n\n## 2. two\n\n${time}\n\n---\n\n*1 event on other branches is not shown; --branch all shows it.*\n`,
  )
  expect(body(forked, everything)).toBe(
    `## 1. one\n\n${time}\n\n---\n\n*Another branch, which was left behind:*\n\n## 2. left\n\n${time}\n\n---\n\n*Back on the main branch.*\n\n## 3. two\n\n${time}\n`,
  )
})

test('sub-agents are named', () => {
  const events = sampleLog(
    { ...said('found it'), sub_agent: 'finder' },
    { ...call('c', 'Grep', { pattern: 'x', path: 'src' }), sub_agent: 'finder' },
    result('none', 'late'),
  )
  expect(body(events)).toBe(
    '> **Sub-agent finder**\n>\n> found it\n\n' +
      '<details>\n<summary>finder › <code>Grep</code> x</summary>\n\n```json\n{\n  "path": "src"\n}\n```\n\n*No result.*\n\n</details>\n\n' +
      '<details>\n<summary><em>Result of an earlier call</em></summary>\n\n```\nlate\n```\n\n</details>\n',
  )
})

test('nothing in a transcript breaks the structure', () => {
  const hostile = [
    '<details>',
    '<!-- open',
    '</details>\n# top',
    '```\nnever closed',
    '~~~~\n```\n~~~',
    'Title\n=====\n\nSub\n---',
    '\\<b>x\\\\<i>y',
    '`code <b>` <b> ``a ` <c>`` <https://example.com> a < b',
    '\u001b[31mred\u001b[0m \u202e \u009b1m',
    '<summary>',
  ]
  for (const text of hostile) {
    const events = sampleLog(
      { type: 'user', content: text },
      said(text),
      { type: 'thinking', content: text },
      call(text, text, { command: text }),
      result(text, text),
      said('THE END'),
    )
    const document = markdown(events, everything)
    expect(document).not.toMatch(/[\u001b\u009b\u202e]/)
    const tokens = new Marked().lexer(document.slice(document.indexOf('\n# ')))
    const top = tokens.filter((token) => token.type === 'heading' && token.depth <= 2)
    expect(top.map((token) => 'depth' in token && token.depth)).toEqual([1, 2])
    // The last words are a paragraph of the document's own: not code, not inside anything.
    expect(tokens.findLast((token) => token.type !== 'space')).toMatchObject({ type: 'paragraph', text: 'THE END' })
    const folds = tokens.flatMap((token) => (token.type === 'html' ? (token.raw.match(/<\/?details>/g) ?? []) : []))
    expect(folds).toEqual(['<details>', '</details>', '<details>', '</details>'])
  }
})
