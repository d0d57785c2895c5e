import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { testStart } from '../../../test/suites/test-start.ts'
import { listAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'
import type { StartRequest } from '../start.ts'
import agent from './index.ts'
import { sessionsFolder } from './paths.ts'

const id = 'b0000001-0000-4000-8000-000000000001'

testStart(agent, new URL('./', import.meta.url), { session: id, args: ['--model', 'auto'] })

const start = agent.start!
const fixture = (): Io => scratchIo(fileURLToPath(new URL('./fixtures/handmade-2.28.0', import.meta.url)))

function requestFor(io: Io, session: string, args: readonly string[] = [], text?: string): StartRequest {
  const prompt = text === undefined ? undefined : { text, argument: text, file: '/prompt.txt' }
  return { session, prompt, headless: false, args, cwd: '/x', folder: '/none', version: '2.28.0', io }
}

describe('kiro: the engine', () => {
  test('of a cold start is v2, or the one that the user names', () => {
    const io = scratchIo()
    const args = (...words: string[]): readonly string[] => start.cold(requestFor(io, 'x', words)).args
    expect(args('--model', 'auto')).toEqual(['chat', '--v2', '--model', 'auto'])
    expect(args('--v3')).toEqual(['chat', '--v3'])
    expect(args('--agent-engine=v3', '--model', 'auto')).toEqual(['chat', '--agent-engine=v3', '--model', 'auto'])
    expect(args('--classic', '--agent-engine', 'v2')).toEqual(['chat', '--agent-engine', 'v2'])
  })

  test("of a warm start is the session's, whatever its first start asked for", () => {
    const io = fixture()
    const engines = listAll(agent, io)
      .heads.filter((head) => head.resumable)
      .map((head) => [
        head.format,
        start.warm(requestFor(io, head.native_id, ['--v3', '--agent', 'mine'])).args.slice(1),
      ])
    const known = { 'v1-sqlite': '--classic', 'v2-jsonl': '--v2', 'v3-jsonl': '--v3' }
    expect(new Set(engines.map(([format]) => format))).toEqual(new Set(Object.keys(known)))
    for (const [format, args] of engines) {
      const flag = known[format as keyof typeof known]
      expect(args).toEqual([flag, '--resume-id', expect.stringMatching(/^[\w-]+$/), '--agent', 'mine'])
    }
  })
})

test('warns that a session killed during a turn may not open', () => {
  const io = fixture()
  const file = join(sessionsFolder(io), 'cli', `${id}.jsonl`)
  const notes = (): unknown => start.warm(requestFor(io, id)).notes
  const cut = ['the last turn was interrupted; Kiro is reported not to reopen such a session (then use --new)']
  expect(notes()).toBeUndefined()
  appendFileSync(file, `${JSON.stringify({ version: 'v1', kind: 'Prompt', data: { content: [] } })}\n`)
  expect(notes()).toEqual(cut)
  const tool = { kind: 'toolUse', data: { toolUseId: 't', name: 'shell', input: {} } }
  writeFileSync(file, JSON.stringify({ version: 'v1', kind: 'AssistantMessage', data: { content: [tool] } }))
  expect(notes()).toEqual(cut)
})

test('warns that engine v1 may send its own prompt', () => {
  const io = fixture()
  const { native_id } = listAll(agent, io).heads.find((head) => head.format === 'v1-sqlite')!
  const notes = ['when it is reopened, this engine of Kiro may send its own prompt for a summary']
  expect(start.warm(requestFor(io, native_id)).notes).toEqual(notes)
  expect(start.warm(requestFor(io, native_id, [], 'go on')).notes).toBeUndefined()
})

test('text that its chat treats as a command is not sent', () => {
  const io = scratchIo()
  const refusal = (text: string): unknown => start.preflight!('cold', requestFor(io, 'x', [], text), readContext(io))
  expect([refusal('!ls'), refusal('fix it!')]).toEqual([
    {
      why: 'Kiro treats text that begins with "!" as a command, not as a prompt',
      hint: 'put another word in front',
      isCommand: true,
    },
    undefined,
  ])
})
