import { expect, test } from 'vitest'
import { fakeTerminal } from '../../../test/support/fake-terminal.ts'
import type { Message, Part } from '../../server/contract.ts'
import { palette } from '../colour.ts'
import { activityOf, ChatLines } from './chat-lines.ts'

const look = { columns: 40, colours: palette(fakeTerminal()), agentTitle: 'Agent' }

const text = (words: string): Part => ({ type: 'text', text: words })
const call = (id: string, command: string): Part => ({ type: 'tool_use', id, name: 'Bash', input: { command } })
const result = (id: string, content: string, is_error = false): Part => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  is_error,
})

function message(id: number, role: Message['role'], parts: readonly Part[], done = true): Message {
  const content = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n')
  return { id, role, content, time: 'no time', parts, done }
}

test('each line is shown once as the message grows; a call waits for its result', () => {
  const lines = new ChatLines()
  const user = message(0, 'user', [text('fix it\nplease')])
  expect(lines.next([user], look)).toEqual(['', 'You', '  fix it', '  please'])
  const parts: Part[] = [text('I look.')]
  const next = (done = false): string[] => lines.next([user, message(1, 'agent', [...parts], done)], look)
  expect(next()).toEqual(['', 'Agent', '  I look.'])
  parts[0] = text('I look.\nAnd run the tests.')
  expect(next()).toEqual(['  And run the tests.'])
  parts.push(call('a', 'npm test'))
  expect(next()).toEqual([])
  parts.push(result('a', '2 failed', true))
  expect(next()).toEqual(['  ✗ Bash npm test → 2 failed'])
  parts.push({ type: 'thinking', text: 'hm' }, { type: 'note', subtype: 'retry', text: 'again' }, call('b', 'ls'))
  expect(next()).toEqual(['  · retry: again'])
  expect(next(true)).toEqual(['  ▸ Bash ls → (no result)'])
  expect(next(true)).toEqual([])
})

test('an answer is shown once and at once, even if its call is open or it moves to a turn that is written late', () => {
  const time = new Date(2026, 2, 12, 14, 2).toISOString()
  const answered: Part = {
    type: 'note',
    subtype: 'answered',
    text: 'Yes · asked: Run \x1b[31mit? · answered by\nann',
    answer: { question: 'Run it?', details: 'ls', choice: 'Yes', by: 'ann', time },
  }
  const wide = { ...look, columns: 80 }
  const line = '  · Yes · asked: Run it? · answered by ann, 14:02'
  const lines = new ChatLines()
  const next = (parts: readonly Part[], done = false): string[] => lines.next([message(1, 'agent', parts, done)], wide)
  expect(next([text('I look.'), call('a', 'ls')])).toEqual(['', 'Agent', '  I look.'])
  expect(next([text('I look.'), call('a', 'ls'), answered])).toEqual([line])
  expect(next([text('I look.'), call('a', 'ls'), answered, result('a', 'x')])).toEqual(['  ▸ Bash ls → x'])
  expect(next([text('I look.'), call('a', 'ls'), answered, result('a', 'x'), text('So.')], true)).toEqual(['  So.'])

  const late = new ChatLines()
  const [user, first] = [message(0, 'user', [text('one')]), message(1, 'agent', [text('1')])]
  late.skip([user, first])
  expect(late.next([user, { ...first, parts: [...first.parts, answered] }], wide)).toEqual([line])
  const second = message(3, 'agent', [answered, call('b', 'ls'), result('b', 'x')])
  expect(late.next([user, first, message(2, 'user', [text('two')]), second], wide)).toEqual([
    ...['', 'You', '  two'],
    ...['', 'Agent', '  ▸ Bash ls → x'],
  ])
  expect(new ChatLines().next([message(1, 'agent', [answered])], look)).toEqual([
    ...['', 'Agent'],
    ...['  · Yes · asked: Run it? · answered by', '    ann, 14:02'],
  ])
  const all = new ChatLines()
  all.skip([user, second])
  expect(all.next([user, second], wide)).toEqual([])
})

test('what was typed here is not shown again; earlier messages count as shown', () => {
  const lines = new ChatLines()
  const old = message(0, 'user', [text('old')])
  lines.skip([old])
  lines.expect('new ')
  const typed = message(1, 'user', [text('new')])
  expect(lines.next([old, typed], look)).toEqual([])
  expect(lines.next([old, typed, message(2, 'user', [text('new')])], look)).toEqual(['', 'You', '  new'])
})

test('messages that are gone are reported together with the next line, not before', () => {
  const lines = new ChatLines()
  const [one, two] = [message(0, 'user', [text('one')]), message(1, 'agent', [text('two')])]
  const [three, four] = [message(2, 'user', [text('three')]), message(3, 'agent', [text('four')])]
  lines.next([one, two, three, four], look)
  expect(lines.next([one, two], look)).toEqual([])
  expect(lines.next([one, two, three, four], look)).toEqual([])
  const other = message(4, 'user', [text('other')])
  const note = ['', '· 2 messages above were removed']
  expect(lines.next([one, two, other], look)).toEqual([...note, '', 'You', '  other'])
  expect(lines.next([one, two, other], look)).toEqual([])
})

test('control characters of a transcript do not reach the terminal', () => {
  const lines = new ChatLines().next([message(0, 'agent', [text('\x1b[2Jred\x07 \x1b]0;t\x07')])], look)
  expect(lines.join('\n')).not.toMatch(/[\x00-\x09\x0b-\x1f]/)
})

test('activityOf names the running tool', () => {
  expect(activityOf(undefined)).toBeUndefined()
  expect(activityOf(message(0, 'agent', [call('a', 'ls')], false))).toBe('Bash')
  expect(activityOf(message(0, 'agent', [call('a', 'ls'), result('a', '')], false))).toBeUndefined()
})
