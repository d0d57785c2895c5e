import { appendFileSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder, scratchIo } from '../../../test/support/scratch.ts'
import { until } from '../../../test/support/wait-until.ts'
import type { Agent } from '../../agents/agent.ts'
import { findAgent } from '../../agents/find.ts'
import { isProblem } from '../../events/item.ts'
import { FolderWatch, withParents } from '../../live/folder-watch.ts'
import { listFolder, stampOf } from '../../native/walk.ts'
import { WatchedStore } from './watched-store.ts'

test('a reported change counts only when the files have changed', async () => {
  const io = scratchIo()
  const file = join(io.home, '.claude/projects/-made/2d67d85a-3801-4326-857a-93d8079bfb66.jsonl')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '{}\n')
  utimesSync(file, 1e9, 1e9)
  const store = new WatchedStore(findAgent('claude'), new FolderWatch(() => {}, silent), io)
  store.scan()
  expect([...store.changed, store.stateOf(file)]).toEqual([file, 'changed'])
  store.noteSeen(file)
  expect(store.stateOf(file)).toBe('same')
  appendFileSync(file, '{}\n')
  expect(store.stateOf(file)).toBe('changed')
  store.noteSeen(file)
  // A second write at the same time might leave no trace, so it is read once more a little later.
  await until(() => expect(store.stateOf(file)).toBe('changed'))
  store.noteSeen(file)
  expect(store.stateOf(file)).toBe('same')
})

test('a file that belongs to no session, or is gone already, causes no further scan', () => {
  const io = scratchIo()
  const folder = join(io.home, '.claude/projects/-made')
  mkdirSync(folder, { recursive: true })
  const store = new WatchedStore(findAgent('claude'), new FolderWatch(() => {}, silent), io)
  store.scan()
  const needsRescanAfter = (name: string): boolean => {
    store.onFsEvent(join(folder, name), 'appeared')
    const { needsRescan } = store
    if (needsRescan) store.scan()
    return needsRescan
  }
  writeFileSync(join(folder, 'notes.txt'), '')
  expect([needsRescanAfter('notes.txt'), needsRescanAfter('notes.txt'), needsRescanAfter('gone.tmp')]).toEqual([
    true,
    false,
    false,
  ])
  writeFileSync(join(folder, '2d67d85a-3801-4326-857a-93d8079bfb66.jsonl'), '{}\n')
  mkdirSync(join(folder, 'sub'))
  expect([needsRescanAfter('2d67d85a-3801-4326-857a-93d8079bfb66.jsonl'), needsRescanAfter('sub')]).toEqual([
    true,
    true,
  ])
})

test('a session whose folder existed before its file', () => {
  const io = scratchIo()
  const folder = join(io.home, '.copilot/session-state/2d67d85a-3801-4326-857a-93d8079bfb66')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'workspace.yaml'), 'cwd: /made\n')
  const store = new WatchedStore(findAgent('copilot'), new FolderWatch(() => {}, silent), io)
  store.scan()
  expect([store.changed.size, store.isWatching(folder)]).toEqual([0, true])
  writeFileSync(join(folder, 'events.jsonl'), '')
  store.onFsEvent(join(folder, 'events.jsonl'), 'appeared')
  expect(store.needsRescan).toBe(true)
  store.scan()
  expect([...store.changed]).toEqual([join(folder, 'events.jsonl')])
})

test('a new folder that another store watched first is new to this one, too', () => {
  const io = scratchIo()
  const made = join(io.home, 'made')
  mkdirSync(io.home, { recursive: true })
  /** Lists folders that have a file, and no others. */
  const agent = (id: string): Agent => ({
    ...findAgent(id),
    *sources(reading) {
      for (const entry of listFolder(made, reading)) {
        const stamp = isProblem(entry) ? undefined : stampOf(join(made, entry.name, 'events.jsonl'))
        if (stamp) yield { path: stamp.path, files: [stamp] }
      }
    },
  })
  const folders = new FolderWatch(() => {}, silent)
  const stores = ['claude', 'copilot'].map((id) => new WatchedStore(agent(id), folders, io))
  for (const store of stores) store.scan()
  mkdirSync(join(made, 'session'), { recursive: true })
  for (const store of stores) store.onFsEvent(made, 'appeared')
  for (const store of stores) store.scan()
  expect(stores.map((store) => store.isWatching(join(made, 'session')))).toEqual([true, true])
})

const silent = () => ({ on: () => silent(), close: () => {} }) as never

test('the folders above one, up to the home; outside it up to the second that exists', () => {
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
