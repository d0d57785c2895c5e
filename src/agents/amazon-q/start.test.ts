import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { testStart } from '../../../test/suites/test-start.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { readContext } from '../../native/read-context.ts'
import type { Io } from '../../platform/io.ts'
import { openDatabase } from '../../platform/sqlite.ts'
import type { SafetyCopy, StartRequest } from '../start.ts'
import agent from './index.ts'
import { databasePath } from './paths.ts'

testStart(agent, new URL('./', import.meta.url), {
  session: 'a0000001-0000-4000-8000-000000000001',
  args: ['--model', 'claude-sonnet-4'],
  // In a folder without a conversation it starts one, with exit code 0.
  unknown: 'new',
})

const start = agent.start!
const shop = '/home/dev4/projects/shop'
const fixture = (): Io => scratchIo(fileURLToPath(new URL('./fixtures/handmade-1.19.7', import.meta.url)))

function requestFor(io: Io, cwd: string, text?: string): StartRequest {
  const prompt = text === undefined ? undefined : { text, argument: text, file: '/prompt.txt' }
  return { session: 'x', prompt, headless: false, args: [], cwd, folder: '/none', version: '1.19.7', io }
}

function kept(io: Io, cwd: string, kind: 'cold' | 'warm' = 'cold'): SafetyCopy[] {
  return [...start.filesToBackUp!(kind, requestFor(io, cwd), readContext(io))]
}

test('before every start the exact row of the folder is copied, and nothing else of the file', () => {
  const io = fixture()
  const secret = 'aoaAAAAAGtoken-that-must-not-leave'
  edit(io, `INSERT INTO auth_kv VALUES ('codewhisperer:odic:token', '${secret}')`)
  const database = openDatabase(databasePath(io), { readOnly: true })
  const { value } = database.prepare('SELECT value FROM conversations WHERE key = ?').get(shop) as { value: string }
  database.close()
  const copy = {
    name: 'conversation.json',
    content: `${JSON.stringify({ table: 'conversations', key: shop, value })}\n`,
  }
  expect([kept(io, shop), kept(io, shop, 'warm')]).toEqual([[copy], [copy]])
  expect(copy.content).not.toContain(secret)
})

test('without a row there is nothing to copy', () => {
  expect([kept(scratchIo(), shop), kept(fixture(), '/home/dev4/elsewhere')]).toEqual([[], []])
})

test('a row that cannot be copied stops the start', () => {
  const io = fixture()
  const writer = openDatabase(databasePath(io))
  writer.exec('BEGIN EXCLUSIVE')
  try {
    expect(() => kept(io, shop)).toThrow(/cannot copy the conversation in .*locked/)
  } finally {
    writer.exec('ROLLBACK')
    writer.close()
  }
})

test('text that its chat treats as a command is not sent', () => {
  const io = fixture()
  const refusal = (text: string): unknown => start.preflight!('cold', requestFor(io, shop, text), readContext(io))
  expect(refusal(' !rm -rf x')).toEqual({
    why: 'Amazon Q treats text that begins with "!" as a command, not as a prompt',
    hint: 'put another word in front',
    isCommand: true,
  })
  expect([refusal('/clear'), refusal('@review it')]).toEqual([expect.anything(), expect.anything()])
  expect(refusal('fix a/b, mail me @work!')).toBeUndefined()
})

test.each([
  ['is empty', "json_set(value, '$.history', json('[]'))"],
  ['has no history', "json_remove(value, '$.history')"],
  ['has no tools', "json_remove(value, '$.tools')"],
  ['has no transcript', "json_remove(value, '$.transcript')"],
  ['has no valid_history_range', "json_remove(value, '$.valid_history_range')"],
  ['is not JSON', "'{'"],
])('a conversation that %s cannot be resumed: it would silently be replaced', (what, value) => {
  const io = fixture()
  const refusal = (kind: 'cold' | 'warm'): unknown => start.preflight!(kind, requestFor(io, shop), readContext(io))
  expect(refusal('warm')).toBeUndefined()
  edit(io, `UPDATE conversations SET value = ${value} WHERE key = '${shop}'`)
  expect([refusal('cold'), refusal('warm')]).toEqual([
    undefined,
    {
      why: `the conversation in ${shop} ${what}, and Amazon Q would start another in its place`,
      hint: 'start another with --new',
    },
  ])
})

test('a resume in a terminal sends nothing to the model if there is bash', () => {
  const io = fixture()
  const bin = join(io.home, 'bin')
  mkdirSync(bin)
  const withBash = { ...io, env: { ...io.env, PATH: bin } }
  const loud = start.warm(requestFor(withBash, shop))
  writeFileSync(join(bin, 'bash'), '', { mode: 0o755 })
  expect([start.warm(requestFor(withBash, shop)), loud]).toEqual([
    { args: ['chat', '--resume', '--', '!true'] },
    { args: ['chat', '--resume'], notes: [expect.stringContaining('its own prompt for a summary')] },
  ])
  expect(start.warm(requestFor(withBash, shop, 'go on')).args).toEqual(['chat', '--resume', '--', 'go on'])
})

function edit(io: Io, sql: string): void {
  const database = openDatabase(databasePath(io))
  database.exec(sql)
  database.close()
}
