import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fixtureHome, isLetIn } from '../../../test/support/backup-parts.ts'
import { listAll } from '../../../test/support/read-all.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { isProblem } from '../../events/item.ts'
import { readContext } from '../../native/read-context.ts'
import { type Io, inHome } from '../../platform/io.ts'
import agent from './index.ts'

function partsOf(io: Io, title: string): unknown[] {
  const head = listAll(agent, io).heads.find((one) => one.title === title)!
  return [...agent.backup!.parts(head, readContext(io))].map((part) => {
    if (isProblem(part) || part.kind !== 'file') throw new Error('not a file')
    const { root, path, hasOthers } = part
    return { root, path, hasOthers }
  })
}

describe('aider: parts of a conversation', () => {
  test('the complete history file, also if it holds other conversations', () => {
    const io = fixtureHome(agent, '0.86.3.dev')
    const { heads } = listAll(agent, io)
    const [first] = heads.filter(({ path }) => path.endsWith('.aider.chat.history.md'))
    const path = 'projects/shop/.aider.chat.history.md'
    expect(partsOf(io, first!.title!)).toEqual([{ root: 'home', path, hasOthers: true }])
  })

  test('the history of an Ion task with the files beside it', () => {
    const io = scratchIo()
    const own = '0123456789abcdef/aider-main/agent/3f2a0000-0000-4000-8000-000000000001'
    const folder = join(io.env.ION_HOME!, 'tasks', own)
    mkdirSync(folder, { recursive: true })
    writeFileSync(
      join(folder, 'chat.md'),
      '\n# aider chat started at 2026-11-15 10:00:00\n\n#### Fix it  \n\nDone.\n\n',
    )
    expect(partsOf(io, 'Fix it')).toEqual(
      ['chat.md', 'input', 'session.json'].map((name) => ({ root: 'tasks', path: `${own}/${name}`, hasOthers: false })),
    )
  })

  test('a project outside the home is restored to its place, and with --to below that folder', () => {
    const io = scratchIo()
    expect(agent.backup!.roots(io).disk).toBe('/')
    expect(agent.backup!.roots(inHome(io.home, io)).disk).toBe(io.home)
  })

  test('no parts for a history file with a custom name', () => {
    const io = scratchIo()
    const file = join(io.home, 'notes.md')
    writeFileSync(file, '\n# aider chat started at 2026-11-15 10:00:00\n\n#### Fix it  \n\nDone.\n\n')
    expect(partsOf({ ...io, env: { ...io.env, AIDER_CHAT_HISTORY_FILE: file } }, 'Fix it')).toEqual([])
  })

  test.each([
    '.aider.conf.yml',
    '.env',
    '.aider.model.settings.yml',
    'shop/.aider.input.history',
    '0123456789abcdef/aider-main/ledger.jsonl',
    '.git/hooks/post-commit',
    '.bashrc',
  ])('%s is not an allowed path', (path) => {
    expect(isLetIn(agent, path)).toBe(false)
  })
})
