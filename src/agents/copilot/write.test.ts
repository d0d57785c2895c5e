import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { testWriter } from '../../../test/suites/test-writer.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import type { Message } from '../write.ts'
import agent from './index.ts'

testWriter(agent, { home: () => scratchIo() })

const at = '2026-11-15T10:00:00.000Z'

test('the description is YAML, whatever is in folder and title', () => {
  const title = `"twice": 'a' # b \u0085\u2028 🙂 \\n`
  const cwd = '/home/dev/a: [b] #c'
  expect(parse(contentOf('workspace.yaml', { title, cwd }))).toMatchObject({ cwd, name: title, user_named: true })
})

test('only a summary at the beginning is a compaction: nothing before one is sent', () => {
  const summary = (id: string): Message => ({ ...prompt(id), isSummary: true })
  const lines = contentOf('events.jsonl', { messages: [summary('a'), prompt('b'), summary('c')] })
    .trimEnd()
    .split('\n')
  expect(lines.map((line) => JSON.parse(line).type)).toEqual([
    'session.start',
    'session.compaction_complete',
    'user.message',
    'user.message',
  ])
})

function prompt(id: string): Message & { role: 'user' } {
  return { role: 'user', id, timestamp: at, content: [{ type: 'text', text: 'Why?' }] }
}

function contentOf(
  name: string,
  given: { readonly title?: string; readonly cwd?: string; readonly messages?: readonly Message[] },
): string {
  const session = { id: '0f9a3c52-7d4e-4b7a-9a53-6d1c2b8e4f10', title: 'Why', cwd: '/home/dev/shop', at }
  const write = agent.writer!.prepare({ cwd: session.cwd, version: undefined, io: scratchIo() })
  if (typeof write !== 'function') throw new Error(write.why)
  const part = write({ ...session, messages: [prompt('a')], ...given }).parts.find(({ path }) => path.endsWith(name))
  if (part?.kind !== 'file') throw new Error(`no ${name}`)
  return part.content
}
