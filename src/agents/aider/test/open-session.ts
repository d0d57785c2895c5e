import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listAll, type Read, readAll } from '../../../../test/support/read-all.ts'
import { copyTree, scratchIo } from '../../../../test/support/scratch.ts'
import type { IonEvent } from '../../../events/schema.ts'
import type { SessionHead } from '../../../events/session.ts'
import { eventText } from '../../../events/text.ts'
import type { Io } from '../../../platform/io.ts'
import agent from '../index.ts'

// For the tests of this folder.
// A session's id has its file's path in it, so the home of the fixtures must be the same in every test.
// It lies in the scratch home of all tests, which is removed when they have ended.
export const root: string = mkdtempSync(join(realpathSync(homedir()), 'aider-'))
export const home: string = join(root, 'home')

export const shop: string = join(home, 'projects/shop')
export const task = (name: string): string => join(shop, '.aider.ion/sessions', name, 'chat.md')
export const history: string = join(shop, '.aider.chat.history.md')
export const notes: string = join(home, 'src/notes/.aider.chat.history.md')

export function world(fixture: string): Io {
  rmSync(home, { recursive: true, force: true })
  mkdirSync(home)
  copyTree(fixture, home)
  return { ...scratchIo(), home, cwd: home }
}

export const fixtures: URL = new URL('../fixtures/', import.meta.url)
export const openWorld = (fixture: string): Io => world(join(fileURLToPath(fixtures), fixture))

export function open(fixture: string, native: string): Read & { io: Io; head: SessionHead } {
  const io = openWorld(fixture)
  const head = listAll(agent, io).heads.find((found) => found.native_id === native)!
  return { io, head, ...readAll(agent, head, io) }
}

/** One line for an event, without those that say how aider was started. */
export function conversation(events: readonly IonEvent[]): string[] {
  return events.slice(1).flatMap((event) => {
    if (event.type !== 'system') return [`${event.type}: ${eventText(event)}`]
    if (/^(Aider v|(Main |Weak )?[Mm]odel:|Git repo|Repo-map)/.test(String(event.content))) return []
    return event.subtype === 'command_line' ? [] : [`${event.subtype}: ${JSON.stringify(event.content)}`]
  })
}
