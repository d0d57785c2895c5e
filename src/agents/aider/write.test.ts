import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { testWriter } from '../../../test/suites/test-writer.ts'
import { listAll, readAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { placeSession } from '../../handover/place.ts'
import { differs } from '../../handover/read-back.ts'
import { toResumable } from '../../run/resume.ts'
import type { Message } from '../write.ts'
import { escapeAnswer, unescapeAnswer } from './escape.ts'
import agent from './index.ts'

testWriter(agent, { home: () => scratchIo(), hasTitle: false })

const line = fc.tuple(
  fc.constantFrom('', ' ', '  ', '\t', ' \u200b'),
  fc.constantFrom('# a', '> a', '#### a', '#', '>', '####', '##### a', '-> a', ''),
)
const text = fc.array(line.map(([indent, rest]) => indent + rest)).map((lines) => lines.join('\n'))

test('an escaped answer has no line that Aider would not restore as part of it, and is read as it was', () => {
  fc.assert(
    fc.property(text, (answer) => {
      fc.pre(!/^ \u200b/m.test(answer))
      const escaped = escapeAnswer(answer)
      expect(escaped.split('\n').filter((one) => /^(?:# |> |#### )/.test(one))).toEqual([])
      expect(unescapeAnswer(escaped)).toBe(answer)
    }),
  )
})

test('comments in code keep their indentation', () => {
  expect(escapeAnswer('def a():\n    # why\n# end\n # of a diff')).toBe(
    'def a():\n    # why\n # end\n \u200b# of a diff',
  )
})

test('texts become what a history can hold', () => {
  const { storable } = agent.writer!
  expect(storable!('a\r\nb\rc\fd\u2028e\u0085f')).toBe('a\nb\nc\nd\ne\nf')
  expect(storable!('a\n \t\nb\ud83d')).toBe('a\n\nb\ufffd')
})

const ID = '0f9a3c52-7d4e-4b7a-9a53-6d1c2b8e4f10'

test('a written session is in the folder of the task that a resume makes', async () => {
  const io = scratchIo()
  const cwd = join(io.home, 'shop')
  mkdirSync(cwd)
  const messages: Message[] = [
    { role: 'user', id: 'a', timestamp: '2026-11-14T09:00:00.000Z', content: [{ type: 'text', text: 'why?' }] },
    {
      role: 'assistant',
      id: 'b',
      timestamp: '2026-11-14T09:00:01.000Z',
      model: null,
      content: [{ type: 'text', text: '# Because\n > of this' }],
    },
  ]
  const write = agent.writer!.prepare({ cwd, version: '0.86.2', io })
  if (typeof write !== 'function') throw new Error(write.why)
  placeSession(agent, write({ id: ID, cwd, title: 'Why', at: '2026-11-15T10:00:00.000Z', messages }), cwd, io, false)
  const [head] = listAll(agent, io).heads
  const { task } = await toResumable({ head: head!, reader: agent }, io)
  expect(head!.path).toBe(join(task.folder, 'agent', ID, 'chat.md'))
  expect(differs(messages, readAll(agent, head!, io).events)).toBeUndefined()
})
