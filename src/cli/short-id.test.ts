import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeClaude } from '../../test/e2e/claude-session.ts'
import { fakeContext } from '../../test/support/fake-terminal.ts'
import { scratchIo } from '../../test/support/scratch.ts'
import type { Io } from '../platform/io.ts'
import { withDefaults } from './command.ts'
import { run as prune } from './commands/prune/run.ts'
import { run as search } from './commands/search.ts'
import { run as sessions } from './commands/sessions.ts'
import { run as show } from './commands/show/run.ts'
import { run as storage } from './commands/storage/run.ts'
import { prune as pruneDefinition } from './definitions/copies.ts'
import { storage as storageDefinition } from './definitions/machine.ts'
import {
  search as searchDefinition,
  sessions as sessionsDefinition,
  show as showDefinition,
} from './definitions/sessions.ts'

/** Two projects, each with a session of the same minute and one whose id is otherwise like that of the other project. */
function world(): { io: Io; ids: Record<string, string> } {
  const io = scratchIo()
  const ids: Record<string, string> = {
    'here timed': '019a1234-5678-7000-8000-000000000001',
    'here plain': '3f2a0000-1000-4000-8000-000000000001',
    'there timed': '019a1234-5678-7000-8000-000000000002',
    'there plain': '3f2a0000-2000-4000-8000-000000000001',
  }
  for (const [prompt, id] of Object.entries(ids)) {
    const cwd = join(io.home, prompt.split(' ')[0]!)
    mkdirSync(cwd, { recursive: true })
    writeClaude({ root: io.home, home: io.home, ionHome: io.env.ION_HOME! }, { id, cwd, prompt })
  }
  return { io: { ...io, cwd: join(io.home, 'here') }, ids }
}

const terminal = { isTTY: true, columns: 160 }

test('each id that a terminal shows works when typed, also if sessions that are not shown have similar ones', async () => {
  const { io, ids } = world()
  const printed = {
    sessions: async (context: ReturnType<typeof fakeContext>) =>
      sessions([], withDefaults(sessionsDefinition, { plain: true }), context),
    search: async (context: ReturnType<typeof fakeContext>) =>
      search([['here']], withDefaults(searchDefinition, {}), context),
    storage: async (context: ReturnType<typeof fakeContext>) =>
      storage([], withDefaults(storageDefinition, { limit: '2' }), context),
    prune: async (context: ReturnType<typeof fakeContext>) =>
      prune([[]], withDefaults(pruneDefinition, { keep: '1', project: io.cwd, dryRun: true }), context),
  }
  for (const [name, print] of Object.entries(printed)) {
    const context = fakeContext(io, terminal)
    await print(context)
    const shown = context.out.text.match(/\b(019a1234|3f2a0000)[0-9a-f-]*/g) ?? []
    expect(shown.length, name).toBeGreaterThan(0)
    for (const short of shown) {
      expect(short.length, name).toBeLessThanOrEqual(36)
      const read = fakeContext(io)
      await show([short], withDefaults(showDefinition, {}), read)
      expect(read.out.text, name).toContain(Object.values(ids).find((id) => id.startsWith(short)))
    }
  }
  const listed = fakeContext(io, terminal)
  await printed.sessions(listed)
  expect(listed.out.text).toMatch(/ 3f2a0000-1 /)
})
