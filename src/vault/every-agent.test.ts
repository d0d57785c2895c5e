import { existsSync, readFileSync, rmSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { keptFixtures } from '../../test/support/kept-fixtures.ts'
import { listAll, readAll } from '../../test/support/read-all.ts'
import { filesBelow, scratchFolder, scratchIo } from '../../test/support/scratch.ts'
import type { Agent } from '../agents/agent.ts'
import type { FilePart } from '../agents/backup.ts'
import type { IonEvent } from '../events/event.ts'
import { isProblem } from '../events/item.ts'
import type { SessionHead } from '../events/session.ts'
import { tableNames, withDatabaseFile, withNativeDatabase } from '../native/database.ts'
import { readContext } from '../native/read-context.ts'
import type { Io } from '../platform/io.ts'
import { moveSession } from './move-session.ts'
import { partPath } from './part-content.ts'
import { removeParts } from './remove.ts'
import { restore } from './restore.ts'
import { Vault } from './vault.ts'

/**
 * What every agent with a backup must do, on all of its fixtures: a session is copied, removed and restored, and is then
 * identical to the byte or to the row; nothing else in the store changes.
 */
describe.each(keptFixtures)('%s %s', (_id, _version, agent, fixture) => {
  const world = (): { io: Io; heads: SessionHead[] } => {
    const io = scratchIo(fixture)
    return { io, heads: listAll(agent, io).heads.filter(({ parent_session }) => !parent_session) }
  }

  test('a lost session is restored exactly', () => {
    const { io, heads } = world()
    const vault = new Vault(io)
    const before = heads.map((head) => seen(agent, head, io))
    for (const head of heads) {
      if (!vault.backUp(agent, head)) continue
      const files = filesOf(agent, head, io)
      const shared = sharedPaths(agent, head, io)
      takeAway(agent, head, io)
      // The same conversation may stand in a second folder, and takes over the id.
      const left = listAll(agent, io).heads.filter(({ id, cwd }) => id === head.id && cwd === head.cwd)
      expect(left).toEqual([])
      const done = put(agent, vault, head, io).filter(({ path }) => !shared.has(path))
      expect(done.map(({ act }) => act)).not.toContain('same')
      expect(filesOf(agent, head, io)).toEqual(files)
      // A second time there is nothing to do.
      expect(
        put(agent, vault, head, io)
          .map(({ act }) => act)
          .filter((act) => act !== 'same'),
      ).toEqual([])
    }
    // What harmed another session would have been kept of that one too, and is seen here.
    expect(heads.map((head) => seen(agent, head, io))).toEqual(before)
  })

  test('a session is restored into an empty home, where the agent looks', () => {
    const { io, heads } = world()
    const vault = new Vault(io)
    const home = scratchFolder()
    for (const head of heads) {
      if (!vault.backUp(agent, head)) continue
      // A hash of a path means something only on this machine.
      const empty: Io = { ...io, home, env: { ION_HOME: io.env.ION_HOME }, cwd: head.cwd ?? io.cwd }
      const kept = vault.find(agent, head.id)!
      const { parts } = kept.versions.at(-1)!
      restore({ ...kept, agent, parts, content: (part) => vault.content(part), io: empty })
      const found = listAll(agent, empty).heads.find(
        ({ native_id }) => native_id === head.native_id.replace(io.home, home),
      )
      const [there, here] = [events(agent, found!, empty), events(agent, head, io)]
      // Where ids are made from the place, they are others in another place.
      if (found!.id === head.id) expect(there).toEqual(withoutLeft(here, there))
      else expect(there.map(said)).toEqual(here.map(said))
    }
    const secrets = filesBelow(home).filter((file) => isSecret(agent, file))
    // A database with a table for credentials is created without any.
    for (const file of secrets) expect(fullTables(file).filter((table) => !isKept(agent, table))).toEqual([])
    rmSync(home, { recursive: true })
  })
})

const firstFixtures = keptFixtures.filter(([id], index) => keptFixtures.findIndex(([other]) => other === id) === index)

describe.each(firstFixtures)('%s %s', (_id, _version, agent, fixture) => {
  test('a session moves to another folder under the same id, and back, and nothing else changes', () => {
    const io = scratchIo(fixture)
    const { heads } = listAll(agent, io)
    const { id, cwd, path } = heads.find((head) => head.cwd !== null && !head.parent_session)!
    const vault = new Vault(io)
    const find = (): SessionHead[] => listAll(agent, io).heads.filter((head) => head.id === id)
    const move = (from: string, to: string): void => {
      const [head] = find()
      vault.backUp(agent, head!)
      moveSession({ agent, head: head!, version: vault.find(agent, id)!.versions.at(-1)!, vault, from, to, io })
    }
    const before = heads.map((head) => seen(agent, head, io))
    const conversation = (): unknown[] =>
      events(agent, find()[0]!, io).filter((event) => ['user', 'assistant'].includes((event as IonEvent).type))
    const messages = conversation()
    move(cwd!, '/srv/new place')
    // What is stored in the project itself is moved with it by the user.
    expect(find().map((head) => head.cwd)).toEqual([path.startsWith(cwd!) ? cwd : '/srv/new place'])
    expect(conversation()).toEqual(messages)
    move('/srv/new place', cwd!)
    expect(heads.map((head) => seen(agent, head, io))).toEqual(before)
  })
})

/** What is in a file with other sessions stays there, unless the user deletes the file. */
function takeAway(agent: Agent, head: SessionHead, io: Io): void {
  if (removeParts(agent, head, io).length > 0) return
  for (const path of Object.keys(filesOf(agent, head, io))) rmSync(path)
}

/** The content of an excluded file is unknown. */
function withoutLeft(events: readonly unknown[], kept: readonly unknown[]): unknown[] {
  const name = (event: unknown): unknown => (event as { id: string }).id
  const there = new Set(kept.map(name))
  return events.filter((event) => there.has(name(event)) || (event as { type: string }).type !== 'system')
}

function said(event: unknown): unknown {
  const { type, content, input } = Object(event) as Record<string, unknown>
  return { type, content, input }
}

function put(agent: Agent, vault: Vault, head: SessionHead, io: Io): ReturnType<typeof restore> {
  const kept = vault.find(agent, head.id)!
  return restore({ ...kept, agent, parts: kept.versions.at(-1)!.parts, content: (part) => vault.content(part), io })
}

function seen(agent: Agent, head: SessionHead, io: Io): unknown {
  const now = listAll(agent, io).heads.find(({ id }) => id === head.id)
  if (!now) throw new Error(`${head.id} is not there`)
  // Stamps of files are new; what they hold is not, but for a line that was never finished.
  const { revision: _, updated_at: at, bytes: _bytes, created_at, ...rest } = now
  const created = created_at === at ? null : created_at
  return { head: { ...rest, created }, events: events(agent, now, io) }
}

/** A time that was only guessed, from that of the file, is a new one. */
function events(agent: Agent, head: SessionHead, io: Io): unknown[] {
  const isGuessed = head.created_at === null || head.created_at === head.updated_at
  return readAll(agent, head, io, readContext(io)).events.map((event) =>
    event.timestamp_guessed || (event.type === 'session_start' && isGuessed) ? { ...event, timestamp: '' } : event,
  )
}

/** Data that other sessions need is never removed. */
function sharedPaths(agent: Agent, head: SessionHead, io: Io): Set<string> {
  const parts = [...agent.backup!.parts(head, readContext(io))]
  return new Set(parts.flatMap((part) => (!isProblem(part) && part.shared ? [partPath(part, agent.backup!, io)] : [])))
}

/** The bytes of all its files. */
function filesOf(agent: Agent, head: SessionHead, io: Io): Record<string, string> {
  const found: Record<string, string> = {}
  for (const part of agent.backup!.parts(head, readContext(io))) {
    if (isProblem(part) || part.kind === 'rows') continue
    const path = partPath(part, agent.backup!, io)
    // It may not have this part.
    if (existsSync(path)) found[path] = bytesOf(path, part.form).toString('base64')
  }
  return found
}

/** An incomplete line is not copied, and the content of a WAL is copied into the database. */
function bytesOf(path: string, form: FilePart['form']): Buffer {
  if (form === 'database') return withDatabaseFile(path, (file) => readFileSync(file))
  const bytes = readFileSync(path)
  return form === 'lines' ? bytes.subarray(0, bytes.lastIndexOf(10) + 1) : bytes
}

function fullTables(path: string): string[] {
  const tables = withNativeDatabase(path, (database) =>
    [...tableNames(database)].filter((table) => database.prepare(`SELECT 1 FROM "${table}" LIMIT 1`).get()),
  )
  return [...tables].filter((table) => typeof table === 'string')
}

function isKept({ backup: keep }: Agent, table: string): boolean {
  return keep!.tables!.includes(table) || table === 'migrations'
}

function isSecret(agent: Agent, file: string): boolean {
  return agent.secrets.some((secret) =>
    new RegExp(`${secret.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`).test(file),
  )
}
