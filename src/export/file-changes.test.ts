import { expect, test } from 'vitest'
import type { IonEvent } from '../events/schema.ts'
import { fileChanges } from './file-changes.ts'

const call = (name: string, input: unknown): IonEvent =>
  ({ type: 'tool_use', id: 'c', seq: 0, parent_id: null, timestamp: '', name, input }) as IonEvent

test.each([
  ['Edit', { file_path: '/p/a.ts', old_string: 'x', new_string: 'y' }],
  ['edit', { filePath: '/p/a.ts', oldString: 'x', newString: 'y' }],
  ['replace', { file_path: '/p/a.ts', old_string: 'x', new_string: 'y', expected_replacements: 1 }],
  ['MultiEdit', { file_path: '/p/a.ts', edits: [{ old_string: 'x', new_string: 'y' }] }],
  ['developer__text_editor', { command: 'str_replace', path: '/p/a.ts', old_str: 'x', new_str: 'y' }],
])('%s with %j', (name, input) => {
  expect(fileChanges(call(name, input))).toEqual([
    { path: '/p/a.ts', kind: 'edit', diff: '-x\n+y', added: 1, removed: 1 },
  ])
})

test('a file that is written, read or run', () => {
  expect(fileChanges(call('Write', { file_path: 'a.md', content: 'one\ntwo\n' }))).toEqual([
    { path: 'a.md', kind: 'write', diff: '+one\n+two', added: 2, removed: 0 },
  ])
  expect(fileChanges(call('Read', { file_path: 'a.md' }))).toEqual([])
  expect(fileChanges(call('Bash', { command: 'git diff -- a.md' }))).toEqual([])
})

test('a patch of several files, alone and within a command', () => {
  const patch = `*** Begin Patch
*** Update File: src/a.ts
@@
 same
-old
+new
*** Add File: src/b.ts
+fresh
*** Delete File: src/c.ts
*** End Patch`
  const expected = [
    { path: 'src/a.ts', kind: 'edit', diff: '@@\n same\n-old\n+new', added: 1, removed: 1 },
    { path: 'src/b.ts', kind: 'write', diff: '+fresh', added: 1, removed: 0 },
    { path: 'src/c.ts', kind: 'delete', diff: '', added: 0, removed: 0 },
  ]
  expect(fileChanges(call('apply_patch', patch))).toEqual(expected)
  expect(fileChanges(call('apply_patch', { input: patch }))).toEqual(expected)
  const command = ['bash', '-lc', `apply_patch <<'EOF'\n${patch}\nEOF\n`]
  expect(fileChanges(call('shell', { command }))).toEqual(expected)
})

test('a diff of git', () => {
  const patch = 'diff --git a/x.ts b/x.ts\nindex 1..2 100644\n--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-a\n+b\n'
  expect(fileChanges(call('patch', { patch }))).toEqual([
    { path: 'x.ts', kind: 'edit', diff: '@@ -1 +1 @@\n-a\n+b', added: 1, removed: 1 },
  ])
})

test('edits that an answer contains', () => {
  const text = 'I change it:\n\nsrc/a.ts\n```ts\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n```\n'
  const event = { type: 'assistant', content: [{ type: 'text', text }] } as unknown as IonEvent
  expect(fileChanges(event)).toEqual([{ path: 'src/a.ts', kind: 'edit', diff: '-old\n+new', added: 1, removed: 1 }])
})
