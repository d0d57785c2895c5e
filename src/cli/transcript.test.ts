import width from 'fast-string-width'
import { expect, test } from 'vitest'
import { fakeTerminal } from '../../test/support/fake-terminal.ts'
import type { IonEvent } from '../events/schema.ts'
import { palette } from './colour.ts'
import { type Hidden, type TranscriptOptions, transcript } from './transcript.ts'

process.env.TZ = 'UTC'

type Loose = { type: IonEvent['type']; at?: string } & Record<string, unknown>

function events(...drafts: Loose[]): IonEvent[] {
  return drafts.map(({ at, ...draft }, seq) => ({
    id: `e${seq}`,
    parent_id: seq === 0 ? null : `e${seq - 1}`,
    seq,
    timestamp: `2026-11-12T${at ?? '14:02'}:00.000Z`,
    ...draft,
  })) as unknown as IonEvent[]
}

function shown(list: readonly IonEvent[], settings: Partial<TranscriptOptions> = {}) {
  const hidden: Hidden = { thinking: 0, system: 0, native: 0 }
  const options: TranscriptOptions = {
    full: false,
    thinking: false,
    system: false,
    columns: 48,
    colours: palette(fakeTerminal()),
    agentTitle: 'Agent',
    underCall: () => undefined,
    ...settings,
  }
  return { lines: [...transcript(list, options, hidden)], hidden }
}

const conversation = events(
  { type: 'session_start' },
  { type: 'user', content: 'Why does the login redirect loop for ever on the second page?' },
  { type: 'system', subtype: 'reminder', content: 'be brief\nplease' },
  { type: 'thinking', content: 'Look first.', at: '14:03' },
  { type: 'assistant', content: [{ type: 'text', text: 'Let me see.' }], at: '14:03' },
  { type: 'tool_use', id: 'c1', name: 'Read', input: { limit: 5, path: 'src/login.ts' } },
  { type: 'tool_use', id: 'c2', name: 'Bash', input: { command: 'npm test -- --reporter=verbose login' } },
  { type: 'tool_result', tool_use_id: 'c2', content: 'FAIL  login.test.ts\n  expected 1', is_error: true },
  { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'const a = 1' }], is_error: false },
  { type: 'tool_use', id: 'c3', name: 'Task', input: { prompt: 'dig' } },
  { type: 'assistant', content: [{ type: 'text', text: 'Found it.' }], at: '14:05' },
  { type: 'compaction', summary: 'one\ntwo', replaces: [] },
  { type: 'native', record: { a: 1 } },
  { type: 'user', content: '日本語 \x1b[31mred\x1b]0;title\x07 text', at: '15:00' },
)

test('a conversation to read', () => {
  expect(
    shown(conversation, { underCall: (id) => (id === 'c3' ? 'sub-agent 1234abcd: Dig deep' : undefined) }),
  ).toEqual({
    hidden: { thinking: 1, system: 1, native: 1 },
    lines: [
      '',
      'You · 14:02',
      '  Why does the login redirect loop for ever on',
      '  the second page?',
      '',
      'Agent · 14:03',
      '  Let me see.',
      '',
      '  ▸ Read src/login.ts → const a = 1',
      '  ✗ Bash npm test -- --reporter=… → FAIL login.…',
      '  ▸ Task dig → (no result)',
      '    ↳ sub-agent 1234abcd: Dig deep',
      '',
      '  Found it.',
      '',
      '── context compacted ──',
      '  one',
      '  two',
      '',
      'You · 15:00',
      '  日本語 red text',
    ],
  })
})

test('everything with --full --thinking --system', () => {
  const { lines } = shown(conversation.slice(1, 10), { full: true, thinking: true, system: true })
  expect(lines).toEqual([
    '',
    'You · 14:02',
    '  Why does the login redirect loop for ever on',
    '  the second page?',
    '',
    '  · reminder',
    '    be brief',
    '    please',
    '',
    'Agent · 14:03',
    '  ┊ Look first.',
    '',
    '  Let me see.',
    '',
    '  ▸ Read',
    '      limit: 5',
    '      path: src/login.ts',
    '    →',
    '      const a = 1',
    '',
    '  ✗ Bash',
    '      command: npm test -- --reporter=verbose',
    '      login',
    '    → failed',
    '      FAIL  login.test.ts',
    '        expected 1',
    '',
    '  ▸ Task',
    '      prompt: dig',
    '    → (no result)',
  ])
})

test('a late result is printed alone, and a new day is marked', () => {
  const list = events(
    { type: 'session_start' },
    { type: 'tool_result', tool_use_id: 'gone', content: 'late', is_error: false },
    { type: 'assistant', content: [{ type: 'text', text: 'Next.' }], timestamp: '2026-11-13T09:00:00.000Z' },
    { type: 'session_end', reason: 'interrupted' },
  )
  expect(shown(list).lines).toEqual([
    '',
    '  ▸ result → late',
    '',
    '── 2026-11-13 ──',
    '',
    'Agent · 09:00',
    '  Next.',
    '',
    '── interrupted ──',
  ])
})

test('no line is wider than the terminal', () => {
  for (const columns of [30, 41, 80]) {
    for (const full of [false, true]) {
      const { lines } = shown(conversation, { columns, full, thinking: true, system: true })
      for (const line of lines) expect(width(line)).toBeLessThanOrEqual(columns)
    }
  }
})

test('the number of a turn is beside its prompt, where it is known', () => {
  const prompts = events({ type: 'user', content: 'one' }, { type: 'user', content: 'two', timestamp_guessed: true })
  const turnOf = ({ id }: { id: string }) => (id === 'e0' ? 7 : 8)
  expect(shown(prompts, { turnOf }).lines).toEqual(['', 'You · 14:02 · turn 7', '  one', '', 'You · turn 8', '  two'])
})
