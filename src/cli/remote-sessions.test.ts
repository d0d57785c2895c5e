import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { type FakeContext, fakeContext } from '../../test/support/fake-terminal.ts'
import { scratchIo } from '../../test/support/scratch.ts'
import { withDefaults } from './command.ts'
import { run as runExport } from './commands/export/run.ts'
import { run as runSessions } from './commands/sessions.ts'
import { run as runShow } from './commands/show/run.ts'
import { exportSessions, sessions, show } from './definitions/sessions.ts'

const thread = {
  v: 3,
  id: 'T-5928a90d-0000-4000-8000-000000000001',
  created: 1794770000000,
  title: 'On the server',
  messages: [
    { role: 'user', messageId: 0, content: [{ type: 'text', text: 'where are you kept?' }] },
    { role: 'assistant', messageId: 1, content: [{ type: 'text', text: 'far away' }], state: { type: 'complete' } },
  ],
}

/** A program that answers as the agent's own does. */
function withProgram(): FakeContext {
  const bin = join(scratchIo().home, 'bin')
  mkdirSync(bin)
  const list = [{ id: thread.id, title: thread.title, updated: '2026-11-15T19:00:00.000Z', messageCount: 2 }]
  const script = `#!${process.execPath}
const [, , , what] = process.argv
if (what === 'list') console.log(${JSON.stringify(JSON.stringify(list))})
else console.log(${JSON.stringify(JSON.stringify(thread))})
`
  writeFileSync(join(bin, 'amp'), script)
  chmodSync(join(bin, 'amp'), 0o755)
  const io = scratchIo(undefined, { PATH: `${bin}:${dirname(process.execPath)}`, AMP_API_KEY: 'test-key' })
  return fakeContext(io)
}

test('a session on the server of an agent is listed, shown and exported only with --remote', async () => {
  const context = withProgram()
  await runSessions([], withDefaults(sessions, { remote: true, json: true, all: true }), context)
  const row = JSON.parse(context.out.text) as { id: string; title: string }
  expect(row).toMatchObject({ title: 'On the server', native_id: thread.id })

  const shown = withProgram()
  await runShow([thread.id], withDefaults(show, { remote: true, pager: false }), shown)
  expect(shown.out.text).toContain('far away')

  const exported = withProgram()
  await runExport([[row.id.slice(0, 8)]], withDefaults(exportSessions, { remote: true, format: 'md' }), exported)
  expect(exported.out.text).toContain('where are you kept?')

  await expect(runShow([thread.id], withDefaults(show, { pager: false }), withProgram())).rejects.toThrow(
    'no session matches',
  )
})
