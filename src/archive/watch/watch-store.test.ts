import { appendFileSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder, scratchIo } from '../../../test/support/scratch.ts'
import { until } from '../../../test/support/wait-until.ts'
import type { Agent } from '../../agents/agent.ts'
import { findAgent } from '../../agents/find.ts'
import { isProblem } from '../../events/item.ts'
import { listFolder, stampOf } from '../../native/walk.ts'
import { WatchedFolders, withParents } from './watch-folders.ts'
import { WatchedStore } from './watch-store.ts'

test('what was told to have changed is looked at: only its files say whether it has', async () => {
  const io = scratchIo()
  const file = join(io.home, '.claude/projects/-made/2d67d85a-3801-4326-857a-93d8079bfb66.jsonl')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '{}\n')
  utimesSync(file, 1e9, 1e9)
  const store = new WatchedStore(findAgent('claude'), new WatchedFolders(() => {}, unheard), io)
  store.look()
  expect([...store.changed, store.stateOf(file)]).toEqual([file, 'changed'])
  store.noteTaken(file)
  expect(store.stateOf(file)).toBe('same')
  appendFileSync(file, '{}\n')
  expect(store.stateOf(file)).toBe('changed')
  store.noteTaken(file)
  // A second write at the same time might not show: it is looked at once more, a little later.
  await until(() => expect(store.stateOf(file)).toBe('changed'))
  store.noteTaken(file)
  expect(store.stateOf(file)).toBe('same')
})

test('a file that a look has shown to be nothing, or that is gone already, is no reason for another look', () => {
  const io = scratchIo()
  const folder = join(io.home, '.claude/projects/-made')
  mkdirSync(folder, { recursive: true })
  const store = new WatchedStore(findAgent('claude'), new WatchedFolders(() => {}, unheard), io)
  store.look()
  const isStaleAfter = (name: string): boolean => {
    store.heard(join(folder, name), 'appeared')
    const { isStale } = store
    if (isStale) store.look()
    return isStale
  }
  writeFileSync(join(folder, 'notes.txt'), '')
  expect([isStaleAfter('notes.txt'), isStaleAfter('notes.txt'), isStaleAfter('gone.tmp')]).toEqual([true, false, false])
  writeFileSync(join(folder, '2d67d85a-3801-4326-857a-93d8079bfb66.jsonl'), '{}\n')
  mkdirSync(join(folder, 'sub'))
  expect([isStaleAfter('2d67d85a-3801-4326-857a-93d8079bfb66.jsonl'), isStaleAfter('sub')]).toEqual([true, true])
})

test('a session whose folder was there before its file', () => {
  const io = scratchIo()
  const folder = join(io.home, '.copilot/session-state/2d67d85a-3801-4326-857a-93d8079bfb66')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'workspace.yaml'), 'cwd: /made\n')
  const store = new WatchedStore(findAgent('copilot'), new WatchedFolders(() => {}, unheard), io)
  store.look()
  expect([store.changed.size, store.wants(folder)]).toEqual([0, true])
  writeFileSync(join(folder, 'events.jsonl'), '')
  store.heard(join(folder, 'events.jsonl'), 'appeared')
  expect(store.isStale).toBe(true)
  store.look()
  expect([...store.changed]).toEqual([join(folder, 'events.jsonl')])
})

test('a new folder that another store had watched first is news to this one all the same', () => {
  const io = scratchIo()
  const made = join(io.home, 'made')
  mkdirSync(io.home, { recursive: true })
  /** Tells of folders that have a file, and of no others. */
  const agent = (id: string): Agent => ({
    ...findAgent(id),
    *sources(reading) {
      for (const entry of listFolder(made, reading)) {
        const stamp = isProblem(entry) ? undefined : stampOf(join(made, entry.name, 'events.jsonl'))
        if (stamp) yield { path: stamp.path, files: [stamp] }
      }
    },
  })
  const folders = new WatchedFolders(() => {}, unheard)
  const stores = ['claude', 'copilot'].map((id) => new WatchedStore(agent(id), folders, io))
  for (const store of stores) store.look()
  mkdirSync(join(made, 'session'), { recursive: true })
  for (const store of stores) store.heard(made, 'appeared')
  for (const store of stores) store.look()
  expect(stores.map((store) => store.wants(join(made, 'session')))).toEqual([true, true])
})

const unheard = () => ({ on: () => unheard(), close: () => {} }) as never

test('the folders above one, up to the home; elsewhere the next two that are there', () => {
  const folder = scratchFolder()
  const home = join(folder, 'home')
  expect(withParents(join(home, 'a/b'), home)).toEqual([join(home, 'a/b'), join(home, 'a'), home])
  const made = join(folder, 'x/y')
  mkdirSync(made, { recursive: true })
  expect(withParents(join(made, 'not/there'), home)).toEqual([
    join(made, 'not/there'),
    join(made, 'not'),
    made,
    dirname(made),
  ])
})
